import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { messageOf, WritError } from '../../core/errors.ts';

/** TLS towards Redis, as files; an empty name is none. */
export interface RedisTlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly serverName?: string;
}

/**
 * What `tls.connect` is given. The files are read anew for every connection, so that a renewed certificate counts from the
 * next one on; while one cannot be read, what was read last counts.
 *
 * @throws WritError INVALID_CONFIG naming the setting, when the files cannot be used now
 */
export function tlsOptions({ caFile = '', certFile = '', keyFile = '', serverName = '' }: RedisTlsFiles): ConnectionOptions {
  const [ca, cert, key] = [readAgain('ca_file', caFile), readAgain('cert_file', certFile), readAgain('key_file', keyFile)];
  tryOut({ ca: ca(), cert: cert(), key: key() });
  return {
    minVersion: 'TLSv1.2',
    ...(serverName === '' ? {} : { servername: serverName }),
    get ca() {
      return ca();
    },
    get cert() {
      return cert();
    },
    get key() {
      return key();
    },
  };
}

function readAgain(setting: string, file: string): () => string | undefined {
  if (file === '') return () => undefined;
  let last: string | undefined;
  return () => {
    try {
      last = readFileSync(file, 'utf8');
    } catch (error) {
      if (last === undefined) throw unusable(setting, `cannot read ${file}`, error);
    }
    return last;
  };
}

/** A key that does not belong to its certificate, or a file that is no PEM, is told at the start and not by every connection. */
function tryOut(files: { ca: string | undefined; cert: string | undefined; key: string | undefined }): void {
  try {
    createSecureContext(files);
  } catch (error) {
    throw unusable('cert_file', 'ca_file, cert_file and key_file cannot be used together', error);
  }
}

function unusable(setting: string, what: string, cause: unknown): WritError {
  return new WritError('INVALID_CONFIG', `redis.tls.${setting}: ${what}: ${messageOf(cause)}`, { field: `redis.tls.${setting}`, cause });
}
