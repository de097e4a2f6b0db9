import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { failed, ok, type Result } from '../../core/result.ts';
import { type AllowList, unbracketed } from './addresses.ts';

/** The addresses of a host name. */
export type Resolver = (host: string) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Addresses that were checked: the connection goes to one of these and to no other. */
export type ResolvedHost = Result<readonly HostAddress[], string>;

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Looks a host up once and checks every address: a name that leads to one address that is not allowed is refused as a
 * whole. Messages name neither host nor address.
 *
 * @param host as in a URL
 */
export async function resolveHost(host: string, allow: AllowList, resolver: Resolver, signal: AbortSignal): Promise<ResolvedHost> {
  const literal = unbracketed(host);
  const found = isIP(literal) === 0 ? await lookedUp(host, resolver, signal) : [literal];
  if (found === undefined || found.length === 0) return failed('the host of the tool could not be looked up');
  for (const address of found) {
    const range = allow.refuses(host, address);
    if (range !== undefined) return failed(`the host of the tool has an address that is not allowed (${range})`);
  }
  return ok(found.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 })));
}

/** An abort ends the waiting, not the look-up, which nobody can stop. */
function lookedUp(host: string, resolver: Resolver, signal: AbortSignal): Promise<readonly string[] | undefined> {
  return new Promise((resolve) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    const end = (addresses: readonly string[] | undefined): void => {
      signal.removeEventListener('abort', stop);
      resolve(addresses);
    };
    resolver(host).then(end, () => end(undefined));
  });
}
