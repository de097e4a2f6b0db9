import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHead } from '../../../src/executors/search/emails/head.ts';
import { bodyText, headerText } from '../../../src/executors/search/emails/match.ts';
import { askPython } from '../../support/mail-oracle.ts';

/**
 * The mails with which Python tests its own `email` package: nested and broken multiparts, missing ends, odd headers,
 * forwarded messages, digests, delivery reports. Debian has them in libpython3.<n>-testsuite, which
 * `scripts/setup --tests` installs.
 */
const LIBRARY = '/usr/lib';

function corpus(): readonly string[] {
  const homes = readdirSync(LIBRARY)
    .filter((name) => /^python3\.\d+$/.test(name))
    .map((name) => path.join(LIBRARY, name, 'test', 'test_email', 'data'));
  const files = homes.flatMap((home) => mailsOf(home));
  if (files.length === 0) throw new Error('the mails of libpython3-testsuite are missing; run: scripts/setup --tests');
  return files;
}

function mailsOf(home: string): string[] {
  try {
    return readdirSync(home)
      .filter((name) => /^msg_\d+\.txt$/.test(name))
      .sort()
      .map((name) => path.join(home, name));
  } catch {
    return [];
  }
}

describe('mail that others made up to be odd', () => {
  it('has the fields and the plain text that the email package of Python finds in it', { tags: ['SE-42', 'SE-43'] }, () => {
    const files = corpus();
    expect(files.length).toBeGreaterThan(40);
    const samples = files.map((file) => readFileSync(file));
    const answers = askPython({ messages: samples }).messages;
    for (const [i, bytes] of samples.entries()) {
      const head = readHead(bytes, 0, () => false);
      const ours = { from: headerText(head, 'from'), to: headerText(head, 'to'), subject: headerText(head, 'subject'), body: bodyText(bytes, head) };
      expect(ours, files[i]).toEqual(answers[i]);
    }
  });
});
