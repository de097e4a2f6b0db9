import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeSearchFiles } from '../../../src/content-search/io/tree/open.ts';
import { matchHere } from '../../../src/content-search/run/match-here.ts';
import type { ContentSearchEvent } from '../../../src/contracts/index.ts';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { allOf } from '../../support/content/match-here.ts';
import { randomFile, randomText } from '../../support/content/random-tree.ts';
import { answerTo, realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { cases } from '../../support/oracle-runs.ts';
import { createRandom, type Random } from '../../support/random.ts';

const FILES = 30;
let backends: Readonly<Record<BackendKind, SearchBackend>>;
let folder: string;

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('match-here');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Mostly the files of the other suites; now and then one with a line that is too long, or many lines. */
function anyFile(random: Random): Buffer {
  if (random.chance(0.05)) return Buffer.from(`${randomText(random)}${random.pick(['x', 'é', 'k']).repeat(70_000)}\nab\r\n`);
  if (random.chance(0.3)) return Buffer.from(Array.from({ length: 30 }, () => randomText(random) + random.pick(['\n', '\r\n', '\n\n'])).join(''));
  return randomFile(random);
}

const shown = ({ type, data }: ContentSearchEvent): string => JSON.stringify([data.path.text, type, data.line_number, data.lines.text]);

describe('what is found without a backend', () => {
  it.each(['ugrep', 'rg'] as const)('is what %s finds, event by event, and files without events have none', { tags: ['NFR-LSI-COR-01'] }, async (kind) => {
    const files = nodeSearchFiles();
    const seen = { events: 0, here: 0, rest: 0 };
    for (let round = 0; round < cases(25); round += 1) {
      const random = createRandom(9_000 + round);
      const names = Array.from({ length: FILES }, (_, at) => `f${10 + at}`);
      for (const name of names) writeFileSync(path.join(folder, name), anyFile(random));
      const query = { pattern: randomText(random), fixedStrings: true, ignoreCase: random.chance(0.5), context: random.integer(4), maxCount: 10_000 };
      if (query.pattern === '') continue;
      const candidates = names.map((text) => ({ text, raw: undefined }));
      const slices = matchHere(
        { first: 0, files: candidates },
        {
          backend: backends[kind],
          query: { ...query, wordRegexp: false, fuzzy: 0 },
          read(candidate, maxBytes) {
            const fd = files.open(path.join(folder, candidate.text));
            return typeof fd === 'number' ? files.readAll(fd, maxBytes) : undefined;
          },
          onCut: () => undefined,
        },
      );
      const { events, rest } = allOf(slices);
      const answer = await answerTo(
        { root: folder, backend: backends[kind] },
        {
          ...{ pattern: query.pattern, fixed_strings: true, context: query.context, max_results: 10_000 },
          case: query.ignoreCase ? 'insensitive' : 'sensitive',
        },
      );
      const left = new Set(rest.map(({ text }) => text));
      const expected = answer.matches.filter(({ data }) => !left.has(data.path.text)).map(shown);
      const got = events.map(({ type, path: of, line, text }) => JSON.stringify([of, type, line, text]));
      // A full answer ends earlier than the files do.
      if (answer.truncated) expect(got.slice(0, expected.length)).toEqual(expected);
      else expect(got).toEqual(expected);
      seen.events += got.length;
      seen.here += FILES - rest.length;
      seen.rest += rest.length;
    }
    expect(seen.events).toBeGreaterThan(150);
    expect(seen.here).toBeGreaterThan(seen.rest);
    expect(seen.rest).toBeGreaterThan(5);
  });
});
