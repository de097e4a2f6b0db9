import { createRandom, type Random } from '../../../test/support/random.ts';
import { shuffled } from '../shuffle.ts';
import { QUERIES, SEED } from '../sizes.ts';
import { type CharsetName, encodeIn } from './charset-bytes.ts';
import { type Language, pickLanguage, proseOf, type Writing } from './language.ts';
import { base64Lines, written } from './transfer.ts';

/** A generated message, with LF as line break. */
export interface Message {
  readonly raw: Buffer;
  /** Milliseconds since 1970 of the topmost `Received`; undefined where there is none. No two messages have the same. */
  readonly receivedAt: number | undefined;
  /** Whether a search must find it: the word stands in its subject or plain text, and it has a time of receipt. */
  readonly matches: boolean;
}

/** Where the word is planted. In the last two it must not be found. */
type Place = 'subject' | 'body' | 'html' | 'attachment';
type Shape = 'plain' | 'alternative' | 'mixed' | 'html';

const PLANTED = 0.015;
const PLACES: readonly Place[] = ['subject', 'body', 'body', 'html', 'attachment'];
const SHAPES: readonly Shape[] = ['plain', 'plain', 'plain', 'alternative', 'alternative', 'alternative', 'alternative', 'mixed', 'mixed', 'html'];
const WITHOUT_RECEIVED = 0.005;
const FIRST_MS = Date.UTC(2024, 0, 1);
const EVERY_MS = 97_000;

/** The word that is planted in message `index`; it tells which message a snippet is from. */
export function plantedWord(index: number): string {
  return `${QUERIES.emails}-${index}`;
}

/** The messages of a mailbox, in no order of time; about 8 KB each. */
export function* messagesOf(count: number): Generator<Message, void, void> {
  const random = createRandom(SEED);
  const blob = base64Lines(Buffer.from(Uint8Array.from({ length: 300_000 }, () => random.integer(256))));
  for (let index = 0; index < count; index += 1) yield messageAt(index, count, random, blob);
}

function messageAt(index: number, count: number, random: Random, blob: string): Message {
  const language = pickLanguage(random);
  const form = random.pick(language.writings);
  const shape = random.pick(SHAPES);
  const place = random.number() < PLANTED ? placeIn(shape, random) : undefined;
  const receivedAt = random.number() < WITHOUT_RECEIVED ? undefined : FIRST_MS + shuffled(index, count) * EVERY_MS;
  const word = plantedWord(index);
  const boundary = `=_${index.toString(36)}`;
  const prose = (size: number, where: Place): string => proseOf(language, size, random, place === where ? word : undefined);
  const text = textPart(prose(80 + random.integer(300), 'body'), form);
  const html = htmlPart(prose(80 + random.integer(300), 'html'), form);
  const bodies = {
    plain: () => text,
    html: () => html,
    alternative: () => multipart('alternative', boundary, [text, html]),
    mixed: () => {
      const note = place === 'attachment' ? `${word}\n` : 'see the other one\n';
      return multipart('mixed', boundary, [multipart('alternative', `${boundary}.a`, [text, html]), pdfPart(blob, random), notePart(note)]);
    },
  } satisfies Record<Shape, () => Buffer>;
  const head = headOf(index, language, form.charset, receivedAt, place === 'subject' ? word : undefined, random);
  const isFound = place === 'subject' || place === 'body';
  return { raw: Buffer.concat([Buffer.from(head, 'latin1'), bodies[shape]()]), receivedAt, matches: isFound && receivedAt !== undefined };
}

/** A place that a message of that shape has. */
function placeIn(shape: Shape, random: Random): Place {
  const place = random.pick(PLACES);
  if (place === 'attachment') return shape === 'mixed' ? place : 'subject';
  if (place === 'body') return shape === 'html' ? 'html' : place;
  return place === 'html' && shape === 'plain' ? 'body' : place;
}

function headOf(index: number, language: Language, charset: CharsetName, receivedAt: number | undefined, planted: string | undefined, random: Random): string {
  const name = random.pick(language.names);
  const words = Array.from({ length: 3 + random.integer(5) }, () => random.pick(language.words));
  if (planted !== undefined) words.splice(random.integer(words.length), 0, planted);
  const date = new Date(receivedAt ?? FIRST_MS).toUTCString().replace('GMT', '+0000');
  const received = `Received: from mx.example.org (mx.example.org [192.0.2.${1 + random.integer(250)}])\n\tby mail.example.net (Postfix) with ESMTPS id Q${index};\n\t${date}\n`;
  const signature = base64Lines(Buffer.from(Uint8Array.from({ length: 190 }, () => random.integer(256)))).replaceAll(/\n(?=.)/g, '\n\t');
  return [
    receivedAt === undefined ? '' : received + received.replace('mail.example.net', 'relay.example.org'),
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=mail;\n\tb=${signature}`,
    `Return-Path: <sender${index % 997}@example.org>\n`,
    `Message-ID: <${index.toString(36)}.${random.integer(1e9)}@example.org>\n`,
    `Date: ${date}\n`,
    `From: ${encodedWords(name, charset)} <sender${index % 997}@example.org>\n`,
    `To: ${encodedWords(random.pick(language.names), charset)} <team@example.net>,\n\toffice@example.net\n`,
    `Subject: ${encodedWords(words.join(' '), charset)}\n`,
    'MIME-Version: 1.0\nX-Mailer: Example 7.2\n',
  ].join('');
}

/** Characters of one encoded word: with any of the charsets it stays under the 75 that are allowed (RFC 2047 2). */
const ENCODED_AT_ONCE = 12;

function encodedWords(text: string, charset: CharsetName): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const characters = [...text];
  const words: string[] = [];
  for (let at = 0; at < characters.length; at += ENCODED_AT_ONCE) {
    const bytes = encodeIn(charset, characters.slice(at, at + ENCODED_AT_ONCE).join(''));
    words.push(`=?${charset}?B?${bytes.toString('base64')}?=`);
  }
  return words.join('\n ');
}

function textPart(text: string, { charset, transfer }: Writing): Buffer {
  return part([`Content-Type: text/plain; charset="${charset}"`, `Content-Transfer-Encoding: ${transfer}`], written(transfer, encodeIn(charset, text)));
}

function htmlPart(text: string, { charset, transfer }: Writing): Buffer {
  const html = `<html><body style="font-family: sans-serif">\n<p>${text.replaceAll('.\n', '.</p>\n<p>')}</p>\n</body></html>\n`;
  return part([`Content-Type: text/html; charset=${charset}`, `Content-Transfer-Encoding: ${transfer}`], written(transfer, encodeIn(charset, html)));
}

/** Some 2 to 40 KB that look like any other compressed file. */
function pdfPart(blob: string, random: Random): Buffer {
  const lines = 26 + random.integer(500);
  const start = random.integer(Math.floor(blob.length / 77) - lines) * 77;
  const disposition = 'Content-Disposition: attachment; filename="offer.pdf"';
  const head = ['Content-Type: application/pdf; name="offer.pdf"', 'Content-Transfer-Encoding: base64', disposition];
  return part(head, Buffer.from(blob.slice(start, start + lines * 77), 'latin1'));
}

function notePart(text: string): Buffer {
  return part(['Content-Type: text/plain; name="note.txt"', 'Content-Disposition: attachment; filename="note.txt"'], Buffer.from(text));
}

function multipart(kind: string, boundary: string, parts: readonly Buffer[]): Buffer {
  const delimited = parts.flatMap((one) => [Buffer.from(`--${boundary}\n`), one]);
  return part([`Content-Type: multipart/${kind};\n\tboundary="${boundary}"`], Buffer.concat([...delimited, Buffer.from(`--${boundary}--\n`)]));
}

function part(head: readonly string[], body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${head.join('\n')}\n\n`), body]);
}
