import type { FastifyRequest } from 'fastify';
import type { ApiKeyStore } from '../../../core/ports/index.ts';
import type { Caller } from '../route.ts';
import { readSessionCookie } from './cookie.ts';
import type { SessionStore } from './sessions.ts';

export interface Authenticated {
  readonly caller: Caller | undefined;
  /** Whose requests are counted together. */
  readonly quota: string;
}

export type Authenticate = (request: FastifyRequest) => Promise<Authenticated>;

const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

/**
 * Who calls: the key in `Authorization`, else the session in the cookie. A wrong key is nobody, whatever cookie comes with
 * it. A revoked key, and a secret that was rotated and has no grace left, end what they have opened within a second.
 */
export function createAuthenticate({ apiKeys, sessions }: { apiKeys: ApiKeyStore; sessions: SessionStore }): Authenticate {
  /** A secret that is not there may be younger than the last look; a session is closed only after a look of its own. */
  const opens = async (secretId: string): Promise<boolean> => (await apiKeys.secrets()).has(secretId) || (await apiKeys.secrets(true)).has(secretId);

  async function byKey(header: string): Promise<Authenticated | undefined> {
    const secret = BEARER.exec(header)?.[1];
    const key = secret === undefined ? undefined : await apiKeys.find(secret);
    if (key === undefined) return undefined;
    const { name, roles, grant, secretId } = key;
    const quota = `key:${key.id}`;
    return { caller: { name, roles: new Set(roles), grant, account: quota, via: 'key', lives: () => opens(secretId) }, quota };
  }

  async function bySession(request: FastifyRequest): Promise<Authenticated | undefined> {
    const secret = readSessionCookie(request);
    if (secret === undefined || fetchedByAnotherSite(request) || !(await isOpen(secret))) return undefined;
    const session = sessions.find(secret);
    if (session === undefined) return undefined;
    const { name, roles, grant } = session;
    const quota = `session:${name}`;
    return { caller: { name, roles, grant, account: quota, via: 'session', session: session.id, lives: () => isOpen(secret) }, quota };
  }

  async function isOpen(secret: string): Promise<boolean> {
    const session = sessions.find(secret);
    if (session === undefined) return false;
    if (session.secretId === undefined || (await opens(session.secretId))) return true;
    sessions.close(secret);
    return false;
  }

  return async (request) => {
    const { authorization } = request.headers;
    const found = authorization === undefined ? await bySession(request) : await byKey(authorization);
    return found ?? { caller: undefined, quota: `address:${addressOf(request)}` };
  };
}

/** Another port of this host is the same "site" and gets our cookie; as a page it may link to us, not load us. */
function fetchedByAnotherSite(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none' && request.headers['sec-fetch-mode'] !== 'navigate';
}

/** The network of an IPv6 address (/64: one subscriber has all of it), an IPv4 address as it is. */
export function addressOf(request: FastifyRequest): string {
  const address = request.ip.replace(/^::ffff:(?=\d+\.)/, '');
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
