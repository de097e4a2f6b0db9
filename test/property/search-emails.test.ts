import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHead } from '../../src/executors/search/emails/head.ts';
import { bodyText, headerText, matchOf } from '../../src/executors/search/emails/match.ts';
import { createNeedle } from '../../src/executors/search/emails/needle.ts';
import { receivedDate } from '../../src/executors/search/emails/received-date.ts';
import { skeletonOf } from '../../src/executors/search/emails/skeleton.ts';
import { askPython } from '../support/mail-oracle.ts';
import { message } from '../support/mail-samples.ts';
import { cases } from '../support/oracle-runs.ts';

const never = (): boolean => false;
const read = (bytes: Buffer) => {
  const head = readHead(bytes, 0, never);
  return { from: headerText(head, 'from'), to: headerText(head, 'to'), subject: headerText(head, 'subject'), body: bodyText(bytes, head) };
};

/** Some text of the message, or text like it. */
const queryFor = (bytes: Buffer) => {
  const fields = Object.values(read(bytes)).filter((text) => text.trim() !== '');
  const other = fc.stringMatching(/^[abéüß€日 \n=?]{1,4}$/u);
  const some = fields.map((text) =>
    fc.tuple(fc.nat(text.length), fc.integer({ min: 1, max: 8 })).map(([from, length]) => [...text].slice(from, from + length).join('')),
  );
  return fc
    .oneof(other, ...some)
    .map((text) => text.trim())
    .filter((text) => text !== '');
};

/** Pieces of mail that break rules, or nearly. */
const line = fc.constantFrom(
  'From a@b Mon Jan 1',
  'Subject: =?utf-8?B?4pyT?=',
  'Subject: =?x',
  'Content-Type: multipart/mixed; boundary=a',
  'Content-Type: multipart/digest; boundary="a--"',
  'Content-Type: text/plain; charset="',
  'Content-Transfer-Encoding: base64',
  'Content-Transfer-Encoding: quoted-printable',
  '--a',
  '--a--',
  '--a----',
  '',
  ' ',
  'x',
  '=',
  '=4',
  'QQ=',
  '\0',
  'Received: x; (',
  ':',
  'Content-Type: text/plain; format=flowed; delsp=yes',
  'a ',
  '> b ',
  'Content-Type: message/rfc822',
  'Content-Disposition: attachment',
  'From: =?utf-8?Q?n=65edle?= ?=',
  'To: y,',
  'TO: needle',
  'Subject: nee\n dle',
  'Subject: \xc3\xa9',
  'From: \xe9n',
  'Content-Type:',
  'Content-Type: text/plain; charset="iso-2022-jp"',
  'Content-Type: text/plain; charset=koi8-r',
  'Content-Type: text/plain; format=flowed',
  'Content-Transfer-Encoding:',
  'needle',
  'nee=\nle',
  'nee=64le',
  'bmVlZGxl',
  'nee ',
  'dle',
);
const odd = fc.tuple(fc.array(line, { maxLength: 24 }), fc.constantFrom('\n', '\r\n')).map(([lines, end]) => Buffer.from(lines.join(end), 'latin1'));
/** Some of them across two fields or lines. */
const oddQuery = fc.constantFrom('needle', 'nee dle', 'x,', 'y, x', 'n', 'é', '=?', '?=', 'l', '✓');

describe('reading generated messages', () => {
  it('finds the fields and the plain text that the email package of Python finds', { tags: ['SE-42', 'SE-43'] }, () => {
    const samples = fc.sample(message, { numRuns: cases(600), seed: 20261121 });
    const answers = askPython({ messages: samples }).messages;
    for (const [i, bytes] of samples.entries()) expect(read(bytes), bytes.toString('latin1')).toEqual(answers[i]);
  });

  it('matches what plain decoding matches: the short cut over bytes never hides a match', { tags: ['SE-29'] }, () => {
    fc.assert(
      fc.property(
        fc.oneof(
          message.chain((bytes) => fc.tuple(fc.constant(bytes), queryFor(bytes))),
          fc.tuple(odd, oddQuery),
        ),
        ([bytes, query]) => {
          const fields = read(bytes);
          const field = (['from', 'to', 'subject', 'body'] as const).find((name) => fields[name].includes(query));
          const match = matchOf(bytes, readHead(bytes, 0, never), createNeedle(query));
          expect(match?.field).toBe(field);
          if (field !== undefined) expect(match).toEqual({ field, text: fields[field], index: fields[field].indexOf(query) });
        },
      ),
      { numRuns: cases(800) },
    );
  });

  it('reads a message in pieces like the whole one, wherever they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(message, fc.integer({ min: 1, max: 60 }), async (bytes, size) => {
        const { bytes: kept } = await skeletonOf(inPieces(bytes, size));
        expect(read(kept)).toEqual(read(bytes));
      }),
      { numRuns: cases(300) },
    );
  });

  it('never throws, whatever the bytes', async () => {
    const bytes = fc.oneof(
      fc.array(line, { maxLength: 30 }).map((lines) => Buffer.from(lines.join('\n'), 'latin1')),
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 20 }), async (raw, size) => {
        const { bytes: kept } = await skeletonOf(inPieces(raw, size));
        expect(read(kept)).toEqual(read(raw));
        receivedDate(raw.toString('latin1'));
      }),
      { numRuns: cases(500), examples: [[Buffer.from('Content-Type: multipart/mixed; boundary=a\n--a\n\nFrom a@b Mon Jan 1'), 1]] },
    );
  });
});

describe('the date of a Received field', () => {
  it('is the one that Python reads, in any zone', { tags: ['SE-44'] }, () => {
    const two = (n: number) => String(n).padStart(2, '0');
    const date = fc
      .record({
        at: fc.date({ min: new Date('1970-01-02T00:00:00Z'), max: new Date('2068-12-31T00:00:00Z'), noInvalidDate: true }),
        zone: fc.oneof(
          fc.constantFrom('GMT', 'EST', 'EDT', 'PST', 'PDT', 'UT', '+0000', '-0000'),
          fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 14 }), fc.constantFrom(0, 30, 45)).map(([sign, h, m]) => `${sign}${two(h)}${two(m)}`),
        ),
        weekday: fc.constantFrom('', 'Mon, ', 'Thu,'),
        seconds: fc.boolean(),
        comment: fc.constantFrom('', ' (CET)', ' (a; b (c))'),
      })
      .map(({ at, zone, weekday, seconds, comment }) => {
        const month = at.toUTCString().slice(8, 11);
        return {
          comment,
          text: `${weekday}${at.getUTCDate()} ${month} ${at.getUTCFullYear()} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}${seconds ? `:${two(at.getUTCSeconds())}` : ''} ${zone}`,
        };
      });
    const samples = fc.sample(date, { numRuns: cases(1000), seed: 7 });
    const { dates } = askPython({ dates: samples.map(({ text }) => text) });
    for (const [i, { text, comment }] of samples.entries()) {
      expect(receivedDate(` from a (x; y) by b;\r\n\t${text}${comment}`), text).toBe(dates[i]);
    }
  });
});

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  const reused = Buffer.alloc(size);
  for (let from = 0; from < bytes.length; from += size) yield reused.subarray(0, bytes.copy(reused, 0, from, from + size));
}
