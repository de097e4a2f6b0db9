import type { Role } from '../../contracts/index.ts';
import type { SearchGrant } from './message-search.ts';

/** A key of the HTTP API, without its secret. */
export interface ApiKey {
  /** Part of the secret, so that a person can tell which key a file holds. */
  readonly id: string;
  /** Unique; stands in the audit log as `who`. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** RFC 3339, milliseconds. */
  readonly createdAt: string;
  /** RFC 3339, milliseconds; a key without it is good until it is revoked. */
  readonly expiresAt?: string;
  /** What of the messages it may see; absent: all. */
  readonly grant?: SearchGrant;
}

/** A key that was found by one of its secrets. */
export interface FoundKey extends ApiKey {
  /** Names the secret without telling it; a rotated key has another one. */
  readonly secretId: string;
}

/** The keys of an installation. Secrets look like `writ_<id>_<43 base64url characters>`; only their SHA-256 is stored. */
export interface ApiKeyStore {
  /** The key of a secret, `undefined` when there is none, it has expired or was revoked. Constant time over the stored hashes. Rereads the file when it changed (within 1 s). */
  find(secret: string): Promise<FoundKey | undefined>;
  /** The secrets that open something now, by their `secretId`; those that were rotated are among them until their grace ends. May be a second old, unless `fresh`. */
  secrets(fresh?: boolean): Promise<ReadonlySet<string>>;
  list(): Promise<readonly ApiKey[]>;
  /** `ttlS` in seconds. Throws WritError INVALID_ARGUMENT (`name`, `roles`, `ttl`, `agent`, `project`). */
  create(request: { name: string; roles: readonly Role[]; ttlS?: number; grant?: SearchGrant }): Promise<{ key: ApiKey; secret: string }>;
  /** The old secret stays good for `graceS`. Throws WritError NOT_FOUND. */
  rotate(id: string, graceS: number): Promise<{ key: ApiKey; secret: string }>;
  /** `false`: there is no such key. */
  revoke(id: string): Promise<boolean>;
}

/** Tokens that open a session in a browser, once each. */
export interface LoginLinks {
  /** The token; the session that it opens has `name` and `roles`. */
  create(roles: readonly Role[], ttlS: number, name: string): Promise<string>;
  /** once */
  redeem(token: string): Promise<{ name: string; roles: readonly Role[] } | undefined>;
}
