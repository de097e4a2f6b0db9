import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutAttachments } from '../../../src/adapters/imap/large-message.ts';
import { createImapSource } from '../../../src/adapters/imap/source.ts';
import { createEmailsScan } from '../../../src/executors/search/emails/scan.ts';
import { startTestDovecot, type TestDovecot } from '../../support/dovecot.ts';
import { startWire } from '../../support/dovecot-wire.ts';
import { type ReadMessage, readAll } from './read.ts';

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await startTestDovecot();
});
afterAll(() => dovecot.stop());

const MiB = 1024 * 1024;
const on = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);
const head = (subject: string, type: string) => `From: a@example.com\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n`;
const base64 = (bytes: number) => `${'QUJD'.repeat(19)}\r\n`.repeat(Math.ceil(bytes / 78));

function withAttachment(subject: string, bytes: number, text = 'see attachment'): string {
  return `${head(subject, 'multipart/mixed; boundary="b1"')}This is a multi-part message.\r\n--b1\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--b1\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(bytes)}\r\n--b1\r\n\r\nthe end\r\n--b1--\r\n`;
}

describe('large messages', () => {
  it('lose their attachments before they are fetched: 60 MB of them cost less than 200 kB', { tags: ['SE-43'] }, async () => {
    await using own = await startTestDovecot();
    await own.drop([
      { raw: withAttachment('large', 50 * MiB), internalDate: on(0) },
      { raw: withAttachment('small', 2 * MiB), internalDate: on(1) },
      { raw: `${head('single', 'application/zip')}${base64(8 * MiB)}`, internalDate: on(2) },
    ]);
    await using wire = await startWire(own);
    const read = await readAll(own.scope({ port: wire.port }));
    expect(read.map(({ text }) => text).sort()).toEqual([withAttachment('large', 0), withAttachment('small', 0), head('single', 'application/zip')].sort());
    expect(wire.received()).toBeLessThan(200_000);
    const found = await createEmailsScan({ folder: createNone(), imap: createImapSource() })(own.scope(), { query: 'the end', maxResults: 5 });
    expect(found).toMatchObject({ count: 2, hits: [{ match_field: 'body' }, { match_field: 'body' }] });
  });

  it('that are text come in pieces, byte by byte as they are', async () => {
    const raw = `${head('text', 'text/plain')}${'0123456789abcdef'.repeat(64)}\r\n`.concat(`${'lorem ipsum '.repeat(6)}\r\n`.repeat(70_000));
    await dovecot.deliver(raw, on(0), 'text');
    const [read] = await readAll(dovecot.scope({ mailbox: 'text' }));
    expect(read?.pieces).toBeGreaterThan(4);
    expect(read?.text === raw).toBe(true);
  });

  it('are the same to a search, whatever their structure', { tags: ['SE-02', 'SE-43', 'SE-71'] }, async () => {
    const samples = fc.sample(fc.oneof(message(WILD), message(TAME)), { numRuns: 200, seed: 20_261_121 });
    await using own = await startTestDovecot();
    await own.drop(samples.map((raw, n) => ({ raw, internalDate: on(n) })));
    const client = await own.client();
    await client.mailboxOpen('INBOX', { readOnly: true });
    // Dovecot says what the messages consist of; their bytes then come from memory, which spares thousands of round trips.
    const limits = { pieceBytes: 64, stepBytes: 512, skipBytes: 1 };
    const whole: ReadMessage[] = [];
    const reduced: ReadMessage[] = [];
    for await (const { uid, source, bodyStructure } of client.fetch('1:*', { uid: true, source: true, bodyStructure: true })) {
      const bytes = source ?? Buffer.alloc(0);
      const fetch = (offset: number, length: number) => Promise.resolve(bytes.subarray(offset, offset + length));
      const kept: Uint8Array[] = [];
      for await (const piece of withoutAttachments(fetch, await fetch(0, limits.stepBytes), bodyStructure, limits)) kept.push(piece);
      const message = { storeId: `1.${uid}`, receivedAt: uid, pieces: 1 };
      whole.push({ ...message, text: bytes.toString('latin1') });
      reduced.push({ ...message, text: Buffer.concat(kept).toString('latin1') });
    }
    expect(whole).toHaveLength(samples.length);
    const shorter = reduced.filter(({ text }, n) => text.length < (whole[n]?.text.length ?? 0)).length;
    expect(shorter).toBeGreaterThan(samples.length / 8);
    expect(shorter).toBeLessThan(samples.length);

    for (const query of ['needle', '--', 'Content', 'QUJD', 'é']) {
      const [all, some] = await Promise.all([whole, reduced].map((read) => replay(read)(own.scope(), { query, maxResults: 1000 })));
      expect(some, query).toEqual(all);
    }
  });
});

/** The search over messages that were read before. */
function replay(read: readonly ReadMessage[]) {
  async function* messages() {
    for (const { storeId, receivedAt, text } of read) yield { storeId, receivedAt, raw: Buffer.from(text, 'latin1') };
  }
  return createEmailsScan({ folder: createNone(), imap: { open: () => Promise.resolve({ ok: true, messages: messages() }) } });
}

function createNone() {
  return { open: () => Promise.reject(new Error('no folder is read here')) };
}

interface Manners {
  readonly words: readonly string[];
  readonly types: readonly string[];
  readonly odd: readonly string[];
  readonly boundaries: readonly string[];
  readonly quotes: readonly string[];
  readonly preambles: readonly string[];
  readonly ends: readonly string[];
}

/** What mail looks like. */
const TAME: Manners = {
  words: ['needle', 'lorem ipsum', 'a', 'QUJD', 'é', ''],
  types: ['text/plain', 'text/html', 'application/pdf', 'image/png; name="a;b"'],
  odd: ['', 'X-Needle: needle\r\n'],
  boundaries: ['b', 'cc', 'd=d', '--e'],
  quotes: ['"'],
  preambles: ['', 'preamble needle\r\n'],
  ends: ['--\r\n', '--'],
};

/** What servers and readers of MIME may take differently. */
const WILD: Manners = {
  words: [...TAME.words, '--', '--b', '--b1', '--b--', '--bx', '--b2 ', 'Content-Type: text/plain'],
  types: [...TAME.types, 'APPLICATION/Octet-Stream', 'application', 'video/mp4 (comment)', 'application/pdf text/plain'],
  odd: [...TAME.odd, '', '', 'not a header\r\n', 'Content-Type: text/plain\r\n', ' folded needle\r\n', 'Subject : needle\r\n'],
  boundaries: ['b', 'b1', 'b2', 'bx', 'c=d'],
  quotes: ['"', '', "'"],
  preambles: [...TAME.preambles, '--bnot\r\n'],
  ends: [...TAME.ends, '', '--\r\nepilogue needle\r\n', '-- \r\n'],
};

function message(manners: Manners): fc.Arbitrary<string> {
  const lines = fc.array(fc.constantFrom(...manners.words), { maxLength: 8 }).map((all) => Buffer.from(all.join('\r\n')).toString('latin1'));
  const transfer = fc.constantFrom('', 'Content-Transfer-Encoding: base64\r\n', 'Content-Transfer-Encoding: quoted-printable\r\n');
  const placed = fc.constantFrom('', 'Content-Disposition: attachment; filename=a\r\n', 'Content-Disposition: inline\r\n');
  const type = fc.constantFrom('', ...manners.types.map((name) => `Content-Type: ${name}\r\n`));
  const odd = fc.constantFrom(...manners.odd);
  const leaf = fc.tuple(odd, type, transfer, placed, lines).map(([before, written, coding, place, body]) => `${before}${written}${coding}${place}\r\n${body}`);
  const kind = fc.constantFrom('multipart/mixed', 'multipart/alternative', 'Multipart/Digest', 'multipart/related; type="text/plain"');
  const { part } = fc.letrec<{ part: string; multipart: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: leaf },
      { weight: 3, arbitrary: tie('multipart') },
      { weight: 1, arbitrary: leaf.map((inner) => `Content-Type: message/rfc822\r\n\r\nSubject: inner needle\r\n${inner}`) },
    ),
    multipart: fc
      .record({
        before: odd,
        kind,
        boundary: fc.constantFrom(...manners.boundaries),
        quote: fc.constantFrom(...manners.quotes),
        preamble: fc.constantFrom(...manners.preambles),
        children: fc.array(tie('part'), { minLength: 1, maxLength: 4 }),
        end: fc.constantFrom(...manners.ends),
      })
      .map(({ before, kind: written, boundary, quote, preamble, children, end }) => {
        const parts = children.map((child) => `--${boundary}\r\n${child}\r\n`).join('');
        return `${before}Content-Type: ${written};\r\n boundary=${quote}${boundary}${quote}\r\n\r\n${preamble}${parts}--${boundary}${end}`;
      }),
  }));
  return part.map((body) => `From: a@example.com\r\nTo: b@example.com\r\nMIME-Version: 1.0\r\n${body}`);
}
