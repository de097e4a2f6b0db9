/** Addresses on which a server hears everybody; from its own host it is asked on loopback. */
const ANY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
]);

/** Where a server that listens on `host` is found from the same host: `http://127.0.0.1:8377`, `https://[::1]:8377`. */
export function localUrl(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const name = ANY_ADDRESS.get(address) ?? address;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
