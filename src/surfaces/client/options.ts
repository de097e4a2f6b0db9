export interface WritClientOptions {
  /** `http://127.0.0.1:8377`; a path before the routes is kept. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it: called before every request, so that a rotated key is used. */
  readonly key: string | (() => string | Promise<string>);
  readonly fetch?: typeof fetch;
  /** Milliseconds for one try of one request, to which a `wait` is added. 30,000 unless given. */
  readonly timeoutMs?: number;
  /** How often a request that may be repeated is repeated; 4 unless given, 0 never. */
  readonly retries?: number;
  /** Text that is added to `writ-client` in the User-Agent header. */
  readonly userAgent?: string;
  /** Random numbers for the jitter of the backoff, 0 ≤ x < 1. `Math.random` unless given. */
  readonly random?: () => number;
}

export interface Settings {
  readonly base: string;
  readonly key: () => string | Promise<string>;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly userAgent: string;
  readonly random: () => number;
}

/** @throws TypeError for a baseUrl that is no URL, or numbers out of their range */
export function settingsOf({ baseUrl, key, fetch: ownFetch, timeoutMs = 30_000, retries = 4, userAgent, random = Math.random }: WritClientOptions): Settings {
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must begin with http: or https:');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must have no user, password, query or fragment; the key is an option of its own');
  }
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be above 0');
  if (!(Number.isInteger(retries) && retries >= 0)) throw new TypeError('retries must be a whole number, 0 or more');
  return {
    base: url.href.replace(/\/+$/, ''),
    key: typeof key === 'string' ? () => key : key,
    fetch: ownFetch ?? ((input, init) => fetch(input, init)),
    timeoutMs,
    retries,
    userAgent: userAgent === undefined ? 'writ-client' : `writ-client ${userAgent}`,
    random,
  };
}
