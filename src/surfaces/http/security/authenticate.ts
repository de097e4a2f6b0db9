import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
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
/** A revoked key ends its sessions within this time. */
const KEYS_FRESH_MS = 1000;

/** Who calls: the key in `Authorization`, else the session in the cookie. A wrong key is nobody, whatever cookie comes with it. */
export function createAuthenticate({ apiKeys, sessions, clock }: { apiKeys: ApiKeyStore; sessions: SessionStore; clock: Clock }): Authenticate {
  const keyLives = createKeyWatch(apiKeys, clock);

  async function byKey(header: string): Promise<Authenticated | undefined> {
    const secret = BEARER.exec(header)?.[1];
    const key = secret === undefined ? undefined : await apiKeys.find(secret);
    return key && { caller: { name: key.name, roles: new Set(key.roles), via: 'key' }, quota: `key:${key.id}` };
  }

  async function bySession(request: FastifyRequest): Promise<Authenticated | undefined> {
    const secret = readSessionCookie(request);
    if (secret === undefined || fetchedByAnotherSite(request)) return undefined;
    const session = sessions.find(secret);
    if (session === undefined) return undefined;
    if (session.keyId !== undefined && !(await keyLives(session.keyId))) {
      sessions.close(secret);
      return undefined;
    }
    return { caller: { name: session.name, roles: session.roles, via: 'session' }, quota: `session:${session.name}` };
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

function createKeyWatch(apiKeys: ApiKeyStore, clock: Clock): (id: string) => Promise<boolean> {
  let readAt = Number.NEGATIVE_INFINITY;
  let living: Promise<ReadonlySet<string>> | undefined;
  async function read(): Promise<ReadonlySet<string>> {
    const keys = await apiKeys.list();
    const now = clock.now();
    return new Set(keys.filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > now).map(({ id }) => id));
  }
  function readAgain(): Promise<ReadonlySet<string>> {
    readAt = clock.monotonic();
    const reading = read();
    living = reading;
    // A failed read must not answer for a second.
    reading.catch(() => {
      if (living === reading) living = undefined;
    });
    return reading;
  }
  return async (id) => {
    const recent = living !== undefined && clock.monotonic() - readAt < KEYS_FRESH_MS;
    if (recent && (await living)?.has(id) === true) return true;
    // A key that is not there may be younger than the look; a session is closed only after a look of its own.
    return (await readAgain()).has(id);
  };
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
