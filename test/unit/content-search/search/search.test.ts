import { describe, expect, it } from 'vitest';
import { compileDenied } from '../../../../src/content-search/enumerate/denied.ts';
import type { FuzzyFallback } from '../../../../src/content-search/search/fallback.ts';
import { createContentSearch } from '../../../../src/content-search/search/search.ts';
import type { ContentSearchFacts, SearchBackend, SearchTree } from '../../../../src/core/ports/index.ts';

/** A directory with nothing in it. */
const TREE: SearchTree = {
  list: () => [],
  readSmall: () => ({ refused: 'ENOENT' }),
  resolve: (path) => ({ realPath: Buffer.from(path), kind: 'directory', dev: 1, ino: 1 }),
};

const BACKEND: SearchBackend = {
  ...{ kind: 'ugrep', id: 'ugrep@3.11.2', folding: 'ASCII', fuzzy: true, fileList: 'ARGV_CHUNKED' },
  start: () => {
    throw new Error('there is no file that it could search');
  },
};

async function factsWith(fuzzyFallback: FuzzyFallback | undefined): Promise<ContentSearchFacts> {
  const tool = createContentSearch({
    backends: { preferred: BACKEND, all: [BACKEND] },
    tree: TREE,
    files: {
      probe: () => 'directory',
      open: () => ({ refused: 'EISDIR' }),
      readAll: () => undefined,
      reader: () => ({ read: () => 0, close: () => undefined }),
    },
    sandbox: { allowedRoots: ['/srv'], workingDirectory: '/srv', indexRoots: [], allowAbsolute: false, denied: compileDenied([]), platform: 'posix' },
    confined: true,
    defaults: { timeoutMs: 20_000, maxResults: 200 },
    fuzzyFallback,
    emitStats: false,
    lanes: 1,
    globalIgnore: undefined,
    now: () => 0,
  });
  const outcome = await tool.search({ pattern: 'needle', fixed_strings: true }, new AbortController().signal);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.run.facts;
}

describe('the fuzzy fallback', () => {
  it('is not there unless the settings name it', { tags: ['FR-LSI-FUZ-01', 'FR-LSI-ROLL-01'] }, async () => {
    const not = { fallback_used: false, fuzzy_levels_tried: [], fallback_passes_skipped: 0, fallback_skip_reason: null };
    expect(await factsWith(undefined)).toMatchObject(not);
    expect(await factsWith({ levels: [1, 2], minPatternLength: 4 })).toMatchObject({ fallback_used: true, fuzzy_levels_tried: [1, 2] });
  });
});
