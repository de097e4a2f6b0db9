import path from 'node:path';
import { z } from 'zod';
import { isLoopback } from '../src/core/loopback.ts';

/** TLS towards Redis and of the API. Files are PEM; they are read by the roles, and read again when they change. */

const file = () =>
  z
    .string()
    .refine((text) => text === '' || (path.posix.isAbsolute(text) && !text.includes('\0')), 'must be empty or an absolute path')
    .default('');

/** Labels that start and end with a letter or digit, the last one with a letter in it: a name, no address. */
const NAME = /^$|^(?=.{1,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9-]*[a-z][a-z0-9-]*$/i;

export const RedisTls = z.strictObject({
  ca_file: file().describe('Certificates of the CAs that may have signed the certificate of Redis; empty: those that Node.js trusts.'),
  cert_file: file().describe('Certificate with which Writ shows Redis who it is (tls-auth-clients); empty: none.'),
  key_file: file().describe('Private key of cert_file.'),
  server_name: z
    .string()
    .regex(NAME, 'must be empty or a host name')
    .default('')
    .describe('Name that the certificate of Redis must carry; empty: the host of redis.url.'),
});

export const HttpTls = z.strictObject({
  cert_file: file().describe('Certificate of the API, followed by the ones that lead to its CA; with it the API speaks HTTPS (TLS 1.2 and 1.3) alone.'),
  key_file: file().describe('Private key of cert_file.'),
});

interface TlsSettings {
  readonly redis: { readonly url: string; readonly tls: z.output<typeof RedisTls> };
  readonly http: { readonly host: string; readonly allow_plain: boolean; readonly tls: z.output<typeof HttpTls> };
}

/** What cannot go together: half a pair, TLS that nothing would use, keys in the clear on a network. */
export function tlsFaults({ redis, http }: TlsSettings): readonly { readonly path: string[]; readonly message: string }[] {
  const unused = Object.values(redis.tls).some((value) => value !== '') && !redis.url.startsWith('rediss://');
  const open = !isLoopback(http.host) && http.tls.cert_file === '' && !http.allow_plain;
  return [
    ...halfPair('redis', redis.tls),
    ...halfPair('http', http.tls),
    ...(unused ? [{ path: ['redis', 'tls'], message: 'needs a redis.url that begins with rediss://' }] : []),
    ...(open ? [{ path: ['http', 'host'], message: 'is no loopback address: set http.tls.cert_file and key_file, or http.allow_plain = true' }] : []),
  ];
}

function halfPair(section: 'redis' | 'http', { cert_file, key_file }: { cert_file: string; key_file: string }) {
  if ((cert_file === '') === (key_file === '')) return [];
  const [there, missing] = cert_file === '' ? ['key_file', 'cert_file'] : ['cert_file', 'key_file'];
  return [{ path: [section, 'tls', missing], message: `must be set, because ${section}.tls.${there} is` }];
}
