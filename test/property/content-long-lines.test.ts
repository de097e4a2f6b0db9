import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeSearchFiles } from '../../src/content-search/io/tree/open.ts';
import { matchHere } from '../../src/content-search/run/match-here.ts';
import { CONTENT_LINE_MAX_BYTES } from '../../src/contracts/index.ts';
import type { BackendKind, SearchBackend } from '../../src/core/ports/index.ts';
import { allOf } from '../support/content/match-here.ts';
import { answerTo, realBackends, temporaryDirectory } from '../support/content/rig.ts';
import { cases } from '../support/oracle-runs.ts';
import { createRandom, type Random } from '../support/random.ts';

const KINDS = ['ugrep', 'rg'] as const satisfies readonly BackendKind[];
let backends: Readonly<Record<BackendKind, SearchBackend>>;
let root: string;

beforeAll(async () => {
  backends = await realBackends();
  root = temporaryDirectory('long-lines');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Around the lengths at which an answer cuts a line, and a backend moves on in its buffer. */
const LENGTHS = [0, 3, 500, 30_000, 65_536, 98_304, 131_072, 200_000, 262_144, 400_000];

function anyLine(random: Random, fillings: readonly string[]): string {
  return Array.from({ length: 1 + random.integer(4) }, () => {
    const filling = random.pick(fillings);
    const length = random.pick(LENGTHS) + random.integer(4);
    return filling.repeat(length / Buffer.byteLength(filling)) + (random.chance(0.4) ? 'needle' : '');
  }).join('');
}

const ASCII = ['x', 'ab ', 'yy\0'];
/** Of UTF-16 ugrep reads other characters wrong here and there (docs/search-backends.md). */
const FILLINGS = { plain: [...ASCII, 'é', '€', '😀'], marked: [...ASCII, 'é', '€', '😀'], utf16le: ASCII, utf16be: ASCII } as const;

/** Text and what a backend reads of it alike, whatever the encoding. */
const ENCODINGS = {
  plain: (text) => Buffer.from(text),
  marked: (text) => Buffer.from(`\ufeff${text}`),
  utf16le: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  utf16be: (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
} satisfies Record<string, (text: string) => Buffer>;

/** The text of a line as an answer has it. */
function shown(line: string): string {
  const whole = line.replace(/\r$/, '');
  if (Buffer.byteLength(whole) <= CONTENT_LINE_MAX_BYTES) return whole;
  return new TextDecoder().decode(Buffer.from(whole).subarray(0, CONTENT_LINE_MAX_BYTES), { stream: true });
}

type Line = readonly [number: number, text: string];

/** A failure should not print megabytes. */
const short = (lines: readonly Line[]) => lines.map(([number, text]) => `${number}: ${text.slice(0, 20)}…${text.slice(-20)}, ${text.length}`);

describe('a line of any length', () => {
  it('is told of from its beginning by both backends, with context and without, and where no backend is needed', {
    tags: ['NFR-LSI-COR-01'],
  }, async () => {
    const files = nodeSearchFiles();
    let [far, here] = [0, 0];
    for (let round = 0; round < cases(60); round += 1) {
      const random = createRandom(47_500 + round);
      const encoding = random.pick(['plain', 'plain', 'plain', 'marked', 'utf16le', 'utf16be'] as const);
      const lines = Array.from({ length: 1 + random.integer(6) }, () => anyLine(random, FILLINGS[encoding]) + random.pick(['', '', '\r']));
      const text = lines.join('\n') + random.pick(['', '\n']);
      writeFileSync(path.join(root, 'f'), ENCODINGS[encoding](text));
      const expected = lines.flatMap((line, at): readonly Line[] => (line.includes('needle') ? [[at + 1, shown(line)]] : []));
      const cut = lines.filter((line) => line.includes('needle') && Buffer.byteLength(line.replace(/\r$/, '')) > CONTENT_LINE_MAX_BYTES);
      far += lines.filter((line) => line.indexOf('needle') > 200_000).length;
      for (const kind of KINDS) {
        for (const context of [0, 1]) {
          const answer = await answerTo({ root, backend: backends[kind], emitStats: true }, { pattern: 'needle', fixed_strings: random.chance(0.5), context });
          const told = answer.matches.filter(({ type }) => type === 'match').map(({ data }): Line => [data.line_number, data.lines.text]);
          expect({ round, kind, context, lines: short(told) }).toEqual({ round, kind, context, lines: short(expected) });
          expect(told.every(([, one], at) => one === expected[at]?.[1])).toBe(true);
          if (context === 0) expect(answer.stats?.lines_cut).toBe(cut.length);
        }
        const query = { pattern: 'needle', fixedStrings: true, wordRegexp: false, ignoreCase: false, context: 0, fuzzy: 0, maxCount: 1000 };
        const read = (_: unknown, maxBytes: number) => {
          const fd = files.open(path.join(root, 'f'));
          return typeof fd === 'number' ? files.readAll(fd, maxBytes) : undefined;
        };
        const chunk = { first: 0, files: [{ text: 'f', raw: undefined }] };
        const { events, rest } = allOf(matchHere(chunk, { backend: backends[kind], query, read, onCut: () => undefined }));
        if (rest.length > 0) continue;
        here += events.length;
        expect(short(events.map(({ line, text: one }): Line => [line, one]))).toEqual(short(expected));
      }
    }
    expect(far).toBeGreaterThan(cases(15));
    expect(here).toBeGreaterThan(cases(15));
  });
});
