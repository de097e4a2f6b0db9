import fc from 'fast-check';

/** Generated messages that two implementations must read alike: legal mail, with the variety that mail programs produce. */

const CHARSETS: readonly { readonly label: string; readonly alphabet: string; readonly encode: (text: string) => Buffer }[] = [
  { label: 'utf-8', alphabet: 'abz AB.,éüßñ€日本😀=?_-"', encode: (text) => Buffer.from(text) },
  { label: 'iso-8859-1', alphabet: 'abz AB.,éüßñ=?_', encode: (text) => Buffer.from(text, 'latin1') },
  { label: 'us-ascii', alphabet: 'abcz AB.,=?_<>', encode: (text) => Buffer.from(text, 'latin1') },
  { label: 'iso-8859-15', alphabet: 'abz AB éüß', encode: (text) => Buffer.from(text, 'latin1') },
];

export const charset = fc.constantFrom(...CHARSETS);

function textOver(alphabet: string, maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...alphabet), { maxLength }).map((characters) => characters.join(''));
}

const newline = fc.constantFrom('\n', '\r\n');

/** An encoded word, Q or B, of its own charset. */
const encodedWord = charset.chain(({ label, alphabet, encode }) =>
  fc.record({ text: textOver(alphabet, 12), encoding: fc.constantFrom('Q', 'B', 'q', 'b') }).map(({ text, encoding }) => {
    const bytes = encode(text === '' ? 'x' : text);
    const content =
      encoding.toUpperCase() === 'B' ? bytes.toString('base64') : [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
    return `=?${label}?${encoding}?${content}?=`;
  }),
);

const plainWord = fc.stringMatching(/^[A-Za-z0-9.,-]{1,8}$/);

/** Words with single spaces or folds between them. */
const headerValue = fc
  .array(fc.tuple(fc.oneof(plainWord, encodedWord), fc.constantFrom(' ', '\n ', '\n\t')), { minLength: 1, maxLength: 5 })
  .map((words) => words.map(([word, space], i) => (i === words.length - 1 ? word : word + space)).join(''));

const TRANSFERS = {
  '8bit': (bytes: Buffer) => bytes,
  base64: (bytes: Buffer) => Buffer.from(bytes.toString('base64').replaceAll(/.{1,76}/g, '$&\n')),
  'quoted-printable': quotedPrintable,
} satisfies Record<string, (bytes: Buffer) => Buffer>;

function quotedPrintable(bytes: Buffer): Buffer {
  let line = '';
  let all = '';
  for (const byte of bytes) {
    if (byte === 10) {
      all += `${line}\n`;
      line = '';
      continue;
    }
    if (line.length > 60) {
      all += `${line}=\n`;
      line = '';
    }
    line += byte > 0x20 && byte < 0x7f && byte !== 0x3d ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return Buffer.from(all + line);
}

const body = (alphabet: string) => fc.array(textOver(alphabet.replaceAll(/[\r]/g, ''), 30), { maxLength: 5 }).map((lines) => lines.join('\n'));

interface Part {
  readonly head: string;
  readonly content: Buffer;
}

const textPart: fc.Arbitrary<Part> = charset.chain(({ label, alphabet, encode }) =>
  fc
    .record({
      text: body(alphabet),
      transfer: fc.constantFrom<keyof typeof TRANSFERS>('8bit', 'base64', 'quoted-printable'),
      type: fc.constantFrom('text/plain', 'text/html', 'TEXT/Plain', 'application/octet-stream', 'message/rfc822x'),
      disposition: fc.constantFrom('', 'attachment; filename="a;b.txt"', 'inline', 'ATTACHMENT'),
      quote: fc.boolean(),
    })
    .map(({ text, transfer, type, disposition, quote }) => ({
      head: `Content-Type: ${type};\n charset=${quote ? `"${label}"` : label}\nContent-Transfer-Encoding: ${transfer}\n${disposition === '' ? '' : `Content-Disposition: ${disposition}\n`}`,
      content: TRANSFERS[transfer](encode(text)),
    })),
);

/** A part of any nesting; delimiters are numbered by their path, so they are never prefixes of text. */
const part = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    textPart,
    fc
      .record({
        subtype: fc.constantFrom('mixed', 'alternative', 'related'),
        boundary: fc.stringMatching(/^[a-zA-Z0-9'()+_,.:=?-]{6,20}$/),
        parts: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
        closed: fc.boolean(),
        preamble: fc.constantFrom('', 'This is MIME.\n'),
      })
      .map(({ subtype, boundary, parts, closed, preamble }) => ({
        head: `Content-Type: multipart/${subtype}; boundary="${boundary}"\n`,
        content: Buffer.concat([
          Buffer.from(preamble),
          ...parts.flatMap(({ head, content }) => [Buffer.from(`\n--${boundary}\n${head}\n`), content]),
          Buffer.from(closed ? `\n--${boundary}--\n` : ''),
        ]),
      })),
  ),
})).part;

/** A whole message. */
export const message: fc.Arbitrary<Buffer> = fc
  .record({ from: headerValue, to: fc.array(headerValue, { maxLength: 2 }), subject: headerValue, part, line: newline })
  .map(({ from, to, subject, part: { head, content }, line }) => {
    const headers = [`From: ${from}`, ...to.map((value) => `To: ${value}`), `Subject: ${subject}`, 'MIME-Version: 1.0'].map((field) => `${field}\n`).join('');
    const bytes = Buffer.concat([Buffer.from(`Received: from a by b; Mon, 1 Jan 2024 00:00:00 +0000\n${headers}${head}\n`), content]);
    return line === '\n' ? bytes : Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
  });
