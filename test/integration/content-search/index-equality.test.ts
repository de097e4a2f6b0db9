import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { type EqualityCount, runEquality } from '../../support/content/index-equality.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let folder: string;

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('index-equality');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The long suite `content-index` has ten thousand rounds. */
const [TREES, ROUNDS] = [2, 7];

describe('a search with the index', () => {
  it.each([
    ['ugrep', 11],
    ['rg', 21],
  ] as const)(
    'answers what a search without it answers, with %s, whatever happens to the tree and to the host',
    { tags: ['NFR-LSI-COR-01', 'LSI-TM-03'] },
    async (kind, seed) => {
      const isEnough = ({ excluding, searches, excludedFiles }: EqualityCount): boolean => excluding > searches / 5 && excludedFiles > 20;
      const count = await runEquality({ seed, folder, backend: backends[kind], trees: TREES, roundsPerTree: ROUNDS, kills: 0.2, isEnough });
      expect(count.rounds).toBe(TREES * ROUNDS);
      expect(count.excluding).toBeGreaterThan(count.searches / 5);
      expect(count.excludedFiles).toBeGreaterThan(20);
      expect(count.kills).toBeGreaterThan(1);
    },
  );
});
