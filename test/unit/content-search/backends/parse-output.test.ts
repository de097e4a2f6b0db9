import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputParser } from '../../../../src/content-search/backends/parse-output.ts';
import type { RunEvent } from '../../../../src/content-search/search/types.ts';
import { CONTENT_LINE_MAX_BYTES } from '../../../../src/contracts/index.ts';

const PATHS = ['a', 'b/c', 'we:ird-1\nnl', 'é', 'z'];

interface Parsed {
  readonly events: readonly RunEvent[];
  readonly cut: readonly RunEvent[];
  readonly violation: string | undefined;
  readonly ordered: boolean;
}

function parse(blocks: readonly Buffer[], wasStopped = false): Parsed {
  const cut: RunEvent[] = [];
  const parser = outputParser({ files: PATHS.map((text) => ({ text })), first: 10, printed: (index) => `./${PATHS[index]}` }, (event) => cut.push(event));
  const events = blocks.flatMap((block) => parser.push(block));
  parser.end(wasStopped);
  return { events, cut, violation: parser.violation, ordered: parser.ordered };
}

function splitAt(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    blocks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return blocks;
}

describe('the output of a backend', () => {
  it('becomes events with path, number of the file, line and type', { tags: ['FR-LSI-PARSE-01'] }, () => {
    const { events, violation } = parse([Buffer.from('./a\x003-before\n./a\x004:needle\n./a\x005|more of it\n./b/c\x001:x\n')]);
    expect(violation).toBeUndefined();
    expect(events).toEqual([
      { file: 10, path: 'a', type: 'context', line: 3, text: 'before' },
      { file: 10, path: 'a', type: 'match', line: 4, text: 'needle' },
      { file: 10, path: 'a', type: 'match', line: 5, text: 'more of it' },
      { file: 11, path: 'b/c', type: 'match', line: 1, text: 'x' },
    ]);
  });

  it('may have line ends, colons and digits in names, and NULs and marks in text', () => {
    const { events } = parse([Buffer.from('./we:ird-1\nnl\x0012:a\x00b-1:\x0013-c\n')]);
    expect(events).toEqual([{ file: 12, path: 'we:ird-1\nnl', type: 'match', line: 12, text: 'a\x00b-1:\x0013-c' }]);
  });

  it('loses one line end, LF or CRLF, and no other character', () => {
    const texts = ['', '\r', '\r\r', 'x\r', ' x\t'];
    const { events } = parse([Buffer.from(texts.map((text, index) => `./a\x00${index + 1}:${text}\n`).join(''))]);
    expect(events.map(({ text }) => text)).toEqual(['', '', '\r', 'x', ' x\t']);
  });

  it('is decoded with U+FFFD for what is not UTF-8, as TextDecoder does', { tags: ['FR-LSI-ENC-01'] }, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
        const line = Buffer.from(bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d));
        const { events } = parse([Buffer.concat([Buffer.from('./a\x001:'), line, Buffer.from('\n')])]);
        expect(events[0]?.text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(line));
      }),
    );
  });

  it('gives the same events however its bytes are cut into blocks', () => {
    const record = fc.record({
      path: fc.constantFrom(...PATHS),
      line: fc.integer({ min: 1, max: 1e9 }),
      mark: fc.constantFrom(':', '-', '|'),
      text: fc.string({ unit: fc.constantFrom('a', 'é', '\0', '\r', '😀', ':', '1') }),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (records, sizes) => {
        const bytes = Buffer.from(records.map(({ path, line, mark, text }) => `./${path}\x00${line}${mark}${text}\n`).join(''));
        expect(parse(splitAt(bytes, sizes))).toEqual(parse([bytes]));
      }),
    );
  });

  it('is noticed when it is out of order', () => {
    expect(parse([Buffer.from('./b/c\x001:x\n./a\x001:x\n')])).toMatchObject({ ordered: false, events: [{ file: 11 }, { file: 10 }] });
    expect(parse([Buffer.from('./a\x002:x\n./a\x001:x\n')]).ordered).toBe(false);
  });

  it.each([
    ['a file that was not asked for', './q\x001:x\n'],
    ['a file that was not asked for', 'a\x001:x\n'],
    ['a line without its number', './a\x00:x\n'],
    ['a line without its number', './a\x001=x\n'],
    ['a line without its end', './a\x001:x'],
    ['a line without its end', './a'],
  ])('is refused with %s', (violation, output) => {
    expect(parse([Buffer.from(output)]).violation).toBe(violation);
  });

  it('may end anywhere when the process was stopped', () => {
    expect(parse([Buffer.from('./a\x001:x\n./a\x002:y')], true)).toMatchObject({ violation: undefined, events: [{ line: 1 }] });
  });
});

describe('an output that says where matches stand', () => {
  const farIn = (output: string, sizes: readonly number[]) => {
    const far: unknown[] = [];
    const expected = { files: PATHS.map((text) => ({ text })), first: 10, printed: (index: number) => `./${PATHS[index]}` };
    const parser = outputParser(
      expected,
      () => undefined,
      ({ file, line }, offset) => far.push([file, line, offset]),
    );
    const events = splitAt(Buffer.from(output), sizes).flatMap((block) => parser.push(block));
    parser.end(false);
    return { far, texts: events.map(({ text }) => text), violation: parser.violation };
  };

  it.each([1, 7, 1000])('tells of matches that stand more than a line behind the one before, or the start of their file: blocks of %i', (size) => {
    const output = './a\x001:65536:1:x\n./a\x002:131073:y\n./a\x003|131080|z\n./b/c\x001:65537:w\n./z\x009:3:v\n';
    expect(farIn(output, [size])).toEqual({
      far: [
        [10, 2, 131_073],
        [11, 1, 65_537],
      ],
      texts: ['1:x', 'y', 'z', 'w', 'v'],
      violation: undefined,
    });
  });

  it.each(['./a\x001:x\n', './a\x001::x\n', './a\x001:2|x\n'])('is refused without a place: %j', (output) => {
    expect(farIn(output, [1000]).violation).toBe('a line without its place');
  });
});

describe('a line that is too long', () => {
  const HEAD = './a\x001:';

  it.each([-1, 0, 1, 2, 3])('is cut when it has more bytes than a line may have: %i', (over) => {
    const text = 'x'.repeat(CONTENT_LINE_MAX_BYTES + over);
    for (const end of ['\n', '\r\n']) {
      for (const size of [1000, 65_536, 200_000]) {
        const { events, cut } = parse(splitAt(Buffer.from(`${HEAD}${text}${end}./a\x002:y\n`), [size]));
        expect(events.map((event) => event.text)).toEqual([text.slice(0, CONTENT_LINE_MAX_BYTES), 'y']);
        expect(cut).toEqual(over > 0 ? [events[0]] : []);
      }
    }
  });

  it.each(['é', '€', '😀'])('is cut in front of a code point that would not fit: %s', (character) => {
    for (let lead = 0; lead < 4; lead += 1) {
      const text = 'x'.repeat(lead) + character.repeat(CONTENT_LINE_MAX_BYTES);
      const got = parse([Buffer.from(`${HEAD}${text}\n`)]).events[0]?.text ?? '';
      expect(got.includes('\ufffd')).toBe(false);
      expect(text.startsWith(got)).toBe(true);
      const length = Buffer.byteLength(got);
      expect(length <= CONTENT_LINE_MAX_BYTES && length > CONTENT_LINE_MAX_BYTES - 4).toBe(true);
    }
  });

  it('takes no more memory than a line may have, however long it is', () => {
    const parser = outputParser({ files: PATHS.map((text) => ({ text })), first: 0, printed: (index) => `./${PATHS[index]}` }, () => undefined);
    const block = Buffer.alloc(65_536, 0x61);
    parser.push(Buffer.from(HEAD));
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 4096; n += 1) parser.push(block);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    expect(parser.push(Buffer.from('\n./a\x002:y\n'))).toMatchObject([{ line: 2, text: 'y' }]);
  });
});
