import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateFiles } from '../../../../src/adapters/tls/certificate.ts';
import { createTestCa, type TestCa } from '../../../support/certificates.ts';

const DAY_MS = 86_400_000;

let ca: TestCa;
beforeAll(() => {
  ca = createTestCa();
});
afterAll(() => ca[Symbol.dispose]());

/** Days until what is shown to clients ends, by whole days. */
function daysLeft(name: string, days: number, more: string): number {
  const { cert, key } = ca.issue(name, `DNS:${name}.test`, days);
  const chain = join(ca.directory, `${name}-chain.pem`);
  writeFileSync(chain, readFileSync(cert, 'utf8') + more);
  const ends: Date[] = [];
  createCertificateFiles({ certFile: chain, keyFile: key, onTaken: (_, end) => void ends.push(end) }).current();
  return Math.round(((ends[0]?.getTime() ?? Number.NaN) - Date.now()) / DAY_MS);
}

describe('the end of the certificate of the API', () => {
  it('is its own where nothing stands behind it', () => {
    expect(daysLeft('alone', 5, '')).toBe(5);
  });

  it('is that of the first in the chain that ends', () => {
    // The CA of the tests is good for two days.
    const behind = readFileSync(ca.cert, 'utf8');
    expect(daysLeft('late', 5, `\n# its CA\n${behind}`)).toBe(2);
    expect(daysLeft('early', 1, behind)).toBe(1);
  });
});
