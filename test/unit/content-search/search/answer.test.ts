import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible } from '../../../../src/content-search/enumerate/warning-line.ts';
import { type AnswerParts, answerOf, renderEvent } from '../../../../src/content-search/search/answer.ts';
import type { FallbackReport } from '../../../../src/content-search/search/fallback.ts';
import type { SearchQuery } from '../../../../src/content-search/search/request.ts';
import { NO_INDEX_FACTS, STATS_CLASSES, statsOf } from '../../../../src/content-search/search/stats.ts';
import type { RunEvent, RunResult } from '../../../../src/content-search/search/types.ts';
import { CONTENT_ANSWER_MAX_BYTES, ContentSearchAnswer, ContentSearchStats } from '../../../../src/contracts/index.ts';

const QUERY: SearchQuery = {
  ...{ pattern: 'a', path: '.', ignoreCase: true, fixedStrings: false, wordRegexp: false, hidden: false, follow: false, noIgnore: false },
  ...{ globs: [], context: 0, maxResults: 200, timeoutMs: 20_000, fuzzy: 0 },
};

function resultOf(events: readonly RunEvent[], changes: Partial<RunResult> = {}): RunResult {
  return {
    ...{ end: events.length > 0 ? 'ok_with_matches' : 'ok_no_matches', events, truncated: false, truncationAssumed: false, timedOut: false },
    ...{ warnings: [], scanned: 9, enumerated: 9, linesCut: 0, processes: 1, error: undefined, backendStderr: '' },
    ...changes,
  };
}

const findings = (result: RunResult, changes: Partial<AnswerParts> = {}): AnswerParts => ({
  query: QUERY,
  path: '.',
  result,
  warnings: [],
  stats: () => undefined,
  ...changes,
});

const event = (file: number, line: number, text = 'a', type: RunEvent['type'] = 'match'): RunEvent => ({ file, path: `f${file}`, type, line, text });

describe('the answer', () => {
  it('has the keys of the baseline and no other unless stats are asked for', {
    tags: ['FR-LSI-SCHEMA-RESP-01', 'FR-LSI-SCHEMA-RESP-04', 'FR-LSI-STAT-01'],
  }, () => {
    const answer = answerOf(findings(resultOf([event(0, 1)])));
    expect(Object.keys(answer)).toEqual(['pattern', 'path', 'count', 'matches', 'truncated', 'timed_out', 'exit_code', 'content']);
    expect(ContentSearchAnswer.parse(answer)).toEqual(answer);
    expect(ContentSearchAnswer.safeParse({ ...answer, files_scanned: 1 }).success).toBe(false);
  });

  it('gives events in the form of the baseline, and counts both kinds', { tags: ['LSI-REC-FMT', 'FR-LSI-COUNT-01', 'LSI-DEF-01'] }, () => {
    const answer = answerOf(findings(resultOf([event(0, 1, 'x', 'context'), event(0, 2)])));
    expect(answer.count).toBe(2);
    expect(answer.matches[0]).toEqual({ type: 'context', data: { path: { text: 'f0' }, line_number: 1, lines: { text: 'x' } } });
  });

  it.each([
    ['0 with a match', [event(0, 1)], [], 0],
    ['0 with a match, whatever could not be read', [event(0, 1)], [{ before: 0, line: 'x' }], 0],
    ['1 without one', [], [], 1],
    ['2 without one when something could not be read', [], [{ before: 3, line: 'x' }], 2],
  ])('ends with %s', (_, events, warnings, code) => {
    expect(answerOf(findings(resultOf(events), { warnings })).exit_code).toBe(code);
  });

  it('ends with 0 also where the match itself was left out: behind its context, or with the time', () => {
    const context = answerOf(findings(resultOf([event(0, 1, 'x', 'context')], { truncated: true })));
    const late = answerOf(findings(resultOf([], { truncated: true, timedOut: true, end: 'timed_out' }), { warnings: [{ before: 0, line: 'x' }] }));
    expect([context.exit_code, late.exit_code]).toEqual([0, 0]);
  });

  it('says in stderr what could not be read, in order, up to the last event when there are more', () => {
    const warnings = [0, 2, 3, 7].map((before) => ({ before, line: `w${before}` }));
    const events = [event(0, 1), event(2, 1)];
    expect(answerOf(findings(resultOf(events), { warnings })).stderr).toBe('w0\nw2\nw3\nw7\n');
    expect(answerOf(findings(resultOf(events, { truncated: true }), { warnings })).stderr).toBe('w0\nw2\n');
    expect(answerOf(findings(resultOf(events, { truncated: true }), { warnings: warnings.slice(2) })).stderr).toBeUndefined();
  });

  it('does not let a tree of unreadable files push the events out', () => {
    const warnings = Array.from({ length: 100_000 }, (_, before) => ({ before, line: `f${before}: Permission denied` }));
    const { stderr } = answerOf(findings(resultOf([event(0, 1)]), { warnings }));
    expect(stderr?.length).toBeLessThan(66_000);
    expect(stderr).toMatch(/and \d+ more\n$/);
  });

  it('leaves events out from the end until it fits into 8 MiB, and says that there are more', () => {
    const events = Array.from({ length: 200 }, (_, file) => event(file, 1, '\u0001'.repeat(65_536)));
    const scanned: number[] = [];
    const answer = answerOf(
      findings(resultOf(events), {
        stats: (count) => {
          scanned.push(count);
          return undefined;
        },
      }),
    );
    expect(answer.truncated).toBe(true);
    expect(answer.count).toBe(answer.matches.length);
    expect(answer.count).toBeGreaterThan(5);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(CONTENT_ANSWER_MAX_BYTES);
    expect(scanned).toEqual([answer.count]);
  });

  it('leaves nothing out of an answer that fits', () => {
    const events = Array.from({ length: 20_000 }, (_, index) => event(0, index + 1, 'x'.repeat(100)));
    expect(answerOf(findings(resultOf(events))).count).toBe(20_000);
  });
});

describe('the answer for people', () => {
  const content = (events: readonly RunEvent[], context = 0, changes: Partial<RunResult> = {}): string =>
    answerOf(findings(resultOf(events, changes), { query: { ...QUERY, context } })).content;

  it('groups lines by file, and marks where lines are left out', () => {
    expect(content([event(0, 1), event(0, 2, 'b', 'context'), event(0, 9), event(1, 3)], 1)).toBe('f0\n1:a\n2-b\n--\n9:a\n\nf1\n3:a\n');
    expect(content([event(0, 1), event(0, 9)])).toBe('f0\n1:a\n9:a\n');
  });

  it('says when there is nothing, more, or no time', () => {
    expect(content([])).toBe('No matches.\n');
    expect(content([event(0, 1)], 0, { truncated: true })).toBe('f0\n1:a\n\nThere are more matches than these.\n');
    expect(content([], 0, { timedOut: true })).toBe('The time ran out: there may be more matches.\n');
  });

  it('writes control characters out, and leaves the events as they are', { tags: ['FR-LSI-ENC-02.1', 'FR-LSI-ENC-02.2'] }, () => {
    const hostile = '\u001b]0;owned\u0007\u009b31m\r\b\u202egpj.exe\u2028x';
    const one: RunEvent = { file: 0, path: `a\u001b[2J\nb`, type: 'match', line: 1, text: hostile };
    const answer = answerOf(findings(resultOf([one])));
    expect(answer.content).toBe('a\\x1b[2J\\x0ab\n1:\\x1b]0;owned\\x07\\x9b31m\\x0d\\x08\\u{202e}gpj.exe\\u{2028}x\n');
    expect(answer.matches[0]?.data).toEqual({ path: { text: 'a\u001b[2J\nb' }, line_number: 1, lines: { text: hostile } });
  });

  it('keeps everything else as it is', () => {
    expect(visible('a\tb é 中 😀 \\ \ufffd')).toBe('a\tb é 中 😀 \\ \ufffd');
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\p{Cc}\p{Bidi_Control}]/u.test(visible(text).replaceAll('\t', ''))));
    expect(renderEvent(event(0, 1, '\u001b'), undefined, 0)).toBe('f0\n1:\\x1b\n');
  });
});

describe('the stats', () => {
  const fallback: FallbackReport = { levelsTried: [], passesSkipped: 0, skipReason: null };
  const COUNTED = {
    ...{ backendId: 'rg@15.0.0', fallback, index: NO_INDEX_FACTS, linesCut: 0, truncationAssumed: false, elapsedMs: 3 },
    ...{ candidatesTotal: 5, candidatesExcluded: 0, candidatesScanned: 5 },
  };

  it('say that no index was used when there is none', {
    tags: ['FR-LSI-STAT-02.1', 'FR-LSI-STAT-02.2', 'FR-LSI-STAT-02.3', 'FR-LSI-STAT-02.4', 'FR-LSI-STAT-02.5', 'FR-LSI-STAT-02.6', 'FR-LSI-STAT-02.12'],
  }, () => {
    const stats = statsOf(COUNTED);
    expect(ContentSearchStats.parse(stats)).toEqual(stats);
    expect(stats).toMatchObject({ stats_version: 1, index_safety_state: 'DISABLED', index_uncertain_reason: null, index_exclusion_used: false });
    expect(stats).toMatchObject({ storage_mode: 'none', storage_fallback_reason: null, candidates_excluded: 0 });
  });

  it('say where the index is kept, why not elsewhere, and why it is not to be relied on', {
    tags: ['FR-LSI-STAT-02.2', 'FR-LSI-STAT-02.3', 'FR-LSI-STAT-02.4', 'FR-LSI-STAT-02.5', 'FR-LSI-STAT-02.6'],
  }, () => {
    const index = { ...NO_INDEX_FACTS, storageMode: 'memory' as const, storageFallback: 'PERMISSION_DENIED' };
    expect(statsOf({ ...COUNTED, index: { ...index, state: 'UNCERTAIN', reason: 'WATCHER_DOWN', bypass: 'VETO' } })).toMatchObject({
      ...{ index_safety_state: 'UNCERTAIN', index_uncertain_reason: 'WATCHER_DOWN', index_exclusion_used: false },
      ...{ storage_mode: 'memory', storage_fallback_reason: 'PERMISSION_DENIED' },
    });
    expect(statsOf({ ...COUNTED, index: { ...index, state: 'COMPLETE', bypass: null, storageMode: 'sqlite', storageFallback: null } })).toMatchObject({
      ...{ index_safety_state: 'COMPLETE', index_uncertain_reason: null, index_exclusion_used: true },
      ...{ storage_mode: 'sqlite', storage_fallback_reason: null },
    });
  });

  it('have an integer version', { tags: ['FR-LSI-SCHEMA-RESP-03.1'] }, () => expect(Number.isInteger(statsOf(COUNTED).stats_version)).toBe(true));

  it('tell the fuzzy fallback from an index that is off', {
    tags: ['FR-LSI-STAT-02.7', 'FR-LSI-STAT-02.8', 'FR-LSI-STAT-02.9', 'FR-LSI-STAT-02.14', 'FR-LSI-STAT-02.15'],
  }, () => {
    expect(statsOf(COUNTED)).toMatchObject({ fallback_used: false, fallback_reason: 'INDEX_OFF', fuzzy_levels_tried: [] });
    const used = statsOf({ ...COUNTED, fallback: { levelsTried: [1, 2], passesSkipped: 0, skipReason: null } });
    expect(used).toMatchObject({ fallback_used: true, fallback_reason: 'LITERAL_NO_MATCHES', fuzzy_levels_tried: [1, 2] });
  });

  it.each([
    ['null where the index was used', 'COMPLETE', null, null],
    ['null where the request is not one for an index', 'COMPLETE', 'REGEX', null],
    ['INDEX_OFF where there is none', 'DISABLED', 'INDEX_OFF', 'INDEX_OFF'],
    ['CAPABILITY_MISSING where it is one of another program', 'COMPLETE', 'BACKEND', 'CAPABILITY_MISSING'],
    ['INDEX_UNAVAILABLE where the index could not serve', 'COMPLETE', 'VETO', 'INDEX_UNAVAILABLE'],
    ['INDEX_UNAVAILABLE where it is in no state to serve, whatever was asked', 'UNCERTAIN', 'REGEX', 'INDEX_UNAVAILABLE'],
  ] as const)('say without a fuzzy fallback as its reason: %s', { tags: ['FR-LSI-STAT-02.8'] }, (_, state, bypass, reason) => {
    const index = { ...NO_INDEX_FACTS, state, bypass };
    expect(statsOf({ ...COUNTED, index })).toMatchObject({ fallback_used: false, fallback_reason: reason, index_exclusion_used: bypass === null });
    const used = statsOf({ ...COUNTED, index, fallback: { ...fallback, levelsTried: [1] } });
    expect(used).toMatchObject({ fallback_used: true, fallback_reason: 'LITERAL_NO_MATCHES' });
  });

  it('class each field, and name those that time decides by their unit', { tags: ['FR-LSI-STAT-03.1', 'FR-LSI-STAT-03.3', 'FR-LSI-STAT-02.10'] }, () => {
    expect(Object.keys(STATS_CLASSES).sort()).toEqual(Object.keys(ContentSearchStats.shape).sort());
    for (const [name, kind] of Object.entries(STATS_CLASSES)) expect(kind === 'best_effort').toBe(/_ms$|^bytes_read$/.test(name));
    expect(statsOf(COUNTED).elapsed_ms).toBe(3);
  });
});
