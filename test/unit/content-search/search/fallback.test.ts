import { describe, expect, it } from 'vitest';
import { type FallbackContext, fallBack, type Pass } from '../../../../src/content-search/search/fallback.ts';
import type { SearchQuery } from '../../../../src/content-search/search/request.ts';
import type { RunEnd, RunEvent, RunResult } from '../../../../src/content-search/search/types.ts';
import type { SearchBackend } from '../../../../src/core/ports/index.ts';
import { scriptedBackend } from '../../../support/content/scripted.ts';

const LITERAL: SearchQuery = {
  ...{ pattern: 'needle', path: '.', ignoreCase: true, fixedStrings: true, wordRegexp: false, hidden: false, follow: false, noIgnore: false },
  ...{ globs: [], context: 0, maxResults: 200, timeoutMs: 20_000, fuzzy: 0 },
};
const UGREP = scriptedBackend(() => ({}));
const SETTINGS = { levels: [1, 2, 3], minPatternLength: 4 };

const event = (type: RunEvent['type']): RunEvent => ({ file: 0, path: 'a', type, line: 1, text: 'x' });

function passOf(level: number, changes: Partial<RunResult> = {}, backend: SearchBackend = UGREP): Pass {
  const result: RunResult = {
    ...{ end: 'ok_no_matches', events: [], truncated: false, truncationAssumed: false, timedOut: false, warnings: [], scanned: 1, enumerated: 1 },
    ...{ linesCut: 0, processes: 1, error: undefined, backendStderr: '' },
    ...changes,
  };
  return { backend, level, result, warned: false };
}

async function fallingBack(first: Pass, passes: Readonly<Record<number, Partial<RunResult>>>, changes: Partial<FallbackContext<Pass>> = {}) {
  const run: number[] = [];
  const outcome = await fallBack(first, {
    settings: SETTINGS,
    query: LITERAL,
    fuzzyBackend: UGREP,
    remaining: () => 1_000,
    run: async (backend, level) => {
      run.push(level);
      return passOf(level, passes[level], backend);
    },
    ...changes,
  });
  return { run, level: outcome.pass.level, report: outcome.report };
}

const MATCH = { end: 'ok_with_matches', events: [event('match')] } satisfies Partial<RunResult>;

describe('the fuzzy fallback', () => {
  it('tries the levels in their order and stops at the first with a match', {
    tags: ['T-LSI-FUZ-01', 'FR-LSI-FUZ-TH-02.1', 'FR-LSI-FUZ-TH-02.2'],
  }, async () => {
    expect(await fallingBack(passOf(0), { 2: MATCH })).toMatchObject({
      run: [1, 2],
      level: 2,
      report: { levelsTried: [1, 2], passesSkipped: 0, skipReason: null },
    });
    expect(await fallingBack(passOf(0), { 1: MATCH }, { settings: { levels: [3, 1], minPatternLength: 4 } })).toMatchObject({ run: [3, 1], level: 1 });
    expect(await fallingBack(passOf(0), {})).toMatchObject({ run: [1, 2, 3], report: { levelsTried: [1, 2, 3], passesSkipped: 0, skipReason: null } });
  });

  it.each<[string, Partial<SearchQuery>]>([
    ['a regular expression', { fixedStrings: false }],
    ['a search that was fuzzy itself', { fuzzy: 1 }],
  ])('is not for %s', { tags: ['FR-LSI-FUZ-02.1'] }, async (_, changes) => {
    expect((await fallingBack(passOf(0), { 1: MATCH }, { query: { ...LITERAL, ...changes } })).run).toEqual([]);
  });

  it('is for whole words too: ugrep knows both together', { tags: ['FR-LSI-FUZ-02.2'] }, async () => {
    expect((await fallingBack(passOf(0), { 1: MATCH }, { query: { ...LITERAL, wordRegexp: true } })).run).toEqual([1]);
  });

  it.each<RunEnd>(['ok_with_matches', 'truncated', 'timed_out', 'backend_error'])(
    'does not follow a search that ended as %s',
    { tags: ['FR-LSI-FUZ-03', 'FR-LSI-FUZ-04', 'FR-LSI-EXIT-03', 'FR-LSI-BE-EXIT-02'] },
    async (end) => {
      expect((await fallingBack(passOf(0, { end }), { 1: MATCH })).run).toEqual([]);
    },
  );

  it('does not follow a search that was truncated or timed out, whatever else it says', { tags: ['FR-LSI-FUZ-03', 'T-LSI-EXIT-02'] }, async () => {
    expect((await fallingBack(passOf(0, { truncated: true }), { 1: MATCH })).run).toEqual([]);
    expect((await fallingBack(passOf(0, { timedOut: true }), { 1: MATCH })).run).toEqual([]);
  });

  it('leaves short patterns alone and says why, counting code points', { tags: ['T-LSI-FUZ-02', 'FR-LSI-FUZ-G-01.1', 'FR-LSI-FUZ-G-01.2'] }, async () => {
    const short = await fallingBack(passOf(0), { 1: MATCH }, { query: { ...LITERAL, pattern: '😀😀😀' } });
    expect(short).toMatchObject({ run: [], report: { levelsTried: [], passesSkipped: 3, skipReason: 'PATTERN_TOO_SHORT' } });
    expect((await fallingBack(passOf(0), { 1: MATCH }, { query: { ...LITERAL, pattern: 'abcd' } })).run).toEqual([1]);
  });

  it('does not guess while a file that could not be opened may hold the very line', async () => {
    const unreadable = passOf(0, { warnings: [{ before: 0, line: 'a: Permission denied' }] });
    expect(await fallingBack(unreadable, { 1: MATCH })).toMatchObject({ run: [], report: { skipReason: 'UNREADABLE_FILES' } });
    expect(await fallingBack({ ...passOf(0), warned: true }, { 1: MATCH })).toMatchObject({ run: [], report: { skipReason: 'UNREADABLE_FILES' } });
  });

  it('says so when no backend can match approximately', async () => {
    expect(await fallingBack(passOf(0), {}, { fuzzyBackend: undefined })).toMatchObject({
      run: [],
      report: { passesSkipped: 3, skipReason: 'BACKEND_NOT_FUZZY' },
    });
  });

  it('goes on after a pass that gave context only', { tags: ['T-LSI-FUZ-04', 'FR-LSI-FUZ-G-04'] }, async () => {
    const context = { end: 'ok_with_matches', events: [event('context')] } satisfies Partial<RunResult>;
    expect(await fallingBack(passOf(0), { 1: context, 2: MATCH })).toMatchObject({ run: [1, 2], level: 2 });
  });

  it('starts no pass when the time is over, and counts those that it left out', {
    tags: ['T-LSI-FUZ-03', 'FR-LSI-FUZ-G-03.2', 'FR-LSI-FUZ-G-03.3'],
  }, async () => {
    let left = 2;
    const remaining = (): number => left--;
    // One look before the first pass, then one before each.
    expect(await fallingBack(passOf(0), {}, { remaining })).toMatchObject({
      run: [1],
      report: { levelsTried: [1], passesSkipped: 2, skipReason: 'TIME_BUDGET' },
    });
    expect(await fallingBack(passOf(0), {}, { remaining: () => 0 })).toMatchObject({ run: [], report: { passesSkipped: 3, skipReason: 'TIME_BUDGET' } });
  });

  it('stops at a pass that ran out of time or failed', async () => {
    expect(await fallingBack(passOf(0), { 1: { end: 'timed_out', timedOut: true } })).toMatchObject({
      run: [1],
      report: { passesSkipped: 2, skipReason: 'TIME_BUDGET' },
    });
    const error = { code: 'ExecutionFailed', field: undefined, message: 'x' } as const;
    expect(await fallingBack(passOf(0), { 2: { end: 'backend_error', error } })).toMatchObject({ run: [1, 2], report: { passesSkipped: 0 } });
  });
});
