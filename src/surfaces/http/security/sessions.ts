import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '../../../contracts/index.ts';
import type { Clock } from '../../../core/clock.ts';
import type { SearchGrant } from '../../../core/ports/index.ts';

export interface Session {
  /** Names it without telling its secret. */
  readonly id: string;
  /** Milliseconds of the monotonic clock. */
  readonly openedAt: number;
  /** Name of the key or of the login link; stands in the audit log. */
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
  /** What the key that opened it is bound to. */
  readonly grant: SearchGrant | undefined;
  /** The secret of a key that opened it; the session dies with that secret. */
  readonly secretId: string | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly endsAt: number;
}

export interface SessionStore {
  /** A new session; answers the secret of its cookie. `endsInMs` shortens its life. */
  open(who: {
    readonly name: string;
    readonly roles: readonly Role[];
    readonly grant?: SearchGrant | undefined;
    readonly secretId?: string;
    readonly endsInMs?: number;
  }): string;
  find(secret: string): Session | undefined;
  close(secret: string): void;
  /** Those that are open, the newest first. */
  list(): readonly Session[];
  /** Ends one by its id; `undefined` when there is none. */
  end(id: string): Session | undefined;
  readonly size: number;
}

/** More logged-in browsers than an installation has people; the oldest make room. */
const MAX_SESSIONS = 10_000;
const SECRET_BYTES = 32;
const ID_BYTES = 8;

/**
 * Sessions of browsers, in memory: they end with the process. A secret is only ever made here, so a cookie that an
 * attacker planted (fixation) opens nothing. Kept by hash: a lookup tells nothing about how close a guess was.
 */
export function createSessions({ clock, lifeMs, max = MAX_SESSIONS }: { clock: Clock; lifeMs: number; max?: number }): SessionStore {
  const sessions = new Map<string, Session>();

  function makeRoom(): void {
    if (sessions.size < max) return;
    const now = clock.monotonic();
    for (const [hash, session] of sessions) if (session.endsAt <= now) sessions.delete(hash);
    for (const hash of sessions.keys()) {
      if (sessions.size < max) return;
      sessions.delete(hash);
    }
  }

  return {
    open({ name, roles, grant, secretId, endsInMs = lifeMs }) {
      makeRoom();
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      const openedAt = clock.monotonic();
      const id = randomBytes(ID_BYTES).toString('hex');
      sessions.set(hashOf(secret), { id, openedAt, name, roles: new Set(roles), grant, secretId, endsAt: openedAt + Math.min(lifeMs, endsInMs) });
      return secret;
    },
    find(secret) {
      const hash = hashOf(secret);
      const session = sessions.get(hash);
      if (session === undefined || session.endsAt > clock.monotonic()) return session;
      sessions.delete(hash);
      return undefined;
    },
    close(secret) {
      sessions.delete(hashOf(secret));
    },
    list() {
      const now = clock.monotonic();
      return [...sessions.values()].filter(({ endsAt }) => endsAt > now).reverse();
    },
    end(id) {
      for (const [hash, session] of sessions) {
        if (session.id !== id) continue;
        sessions.delete(hash);
        return session.endsAt > clock.monotonic() ? session : undefined;
      }
      return undefined;
    },
    get size() {
      return sessions.size;
    },
  };
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
