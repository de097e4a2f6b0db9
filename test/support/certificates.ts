import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate and its key, as files. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A CA of one test file. */
export interface TestCa extends Disposable {
  readonly directory: string;
  /** Its own certificate. */
  readonly cert: string;
  /** `names` as OpenSSL writes them, `DNS:redis.test,IP:127.0.0.1`; a negative number of days makes one that has expired. */
  issue(name: string, names: string, days?: number): Pair;
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Real certificates of OpenSSL, a few milliseconds each. */
export function createTestCa(title = 'ca'): TestCa {
  const directory = mkdtempSync(join(tmpdir(), 'writ-tls-'));
  const file = (name: string): string => join(directory, name);
  const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'pipe' });
  const ca = { cert: file(`${title}.pem`), key: file(`${title}.key`) };
  openssl('req', '-x509', ...EC, '-keyout', ca.key, '-out', ca.cert, '-subj', `/CN=Writ test ${title}`, '-days', '2');
  return {
    directory,
    cert: ca.cert,
    issue(name, names, days = 1) {
      const [cert, key, request] = [file(`${name}.pem`), file(`${name}.key`), file(`${name}.csr`)];
      openssl('req', ...EC, '-keyout', key, '-out', request, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`);
      const signing = ['-CA', ca.cert, '-CAkey', ca.key, '-copy_extensions', 'copyall', '-days', String(days)];
      openssl('x509', '-req', '-in', request, ...signing, '-out', cert);
      return { cert, key };
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
