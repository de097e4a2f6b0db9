import { describe, expect, it } from 'vitest';
import { type ContentSearchAnswer, ContentSearchStats } from '../../../src/contracts/index.ts';
import { WritError } from '../../../src/core/errors.ts';
import type { ContentSearchOutcome } from '../../../src/core/ports/index.ts';
import { countContentSearches } from '../../../src/observability/content-search.ts';
import { STATS_METRICS } from '../../../src/observability/content-stats.ts';
import { METRICS } from '../../../src/observability/events.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { NO_INDEX_SEARCH } from '../../support/content/facts.ts';

const ANSWER: ContentSearchAnswer = { pattern: 'x', path: '.', count: 3, matches: [], truncated: false, timed_out: false, content: '' };
const RUN = {
  backend: 'ugrep',
  elapsedMs: 1500,
  files: 40,
  processes: 2,
  fallbackUsed: false,
  indexBypass: 'INDEX_OFF',
  facts: NO_INDEX_SEARCH,
  backendStderr: '',
} as const;
const found = (answer: Partial<ContentSearchAnswer>, run: object = {}): ContentSearchOutcome => ({
  ok: true,
  answer: { ...ANSWER, ...answer },
  run: { ...RUN, ...run },
});
const refused = (code: 'BadArgs' | 'ExecutionFailed'): ContentSearchOutcome => ({ ok: false, error: { code, field: undefined, message: '' } });

/** The samples above zero after one search. */
async function figuresOf(outcome: ContentSearchOutcome | Error, aborted = false): Promise<Record<string, number>> {
  const metrics = createMetrics('api', '1.0.0');
  const tool = countContentSearches({ search: () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome)) }, metrics);
  const controller = new AbortController();
  if (aborted) controller.abort();
  const asked = tool.search({}, controller.signal);
  if (outcome instanceof Error) await expect(asked).rejects.toBe(outcome);
  else expect(await asked).toBe(outcome);
  const samples = (await metrics.families()).filter(({ name }) => name.startsWith('writ_content_')).flatMap((family) => family.samples);
  return Object.fromEntries(
    samples
      .filter(({ name, value }) => value > 0 && !name.endsWith('_bucket'))
      .map(({ name, labels, value }) => [`${name.replace('writ_content_', '')} ${Object.values(labels).join(' ')}`.trimEnd(), value]),
  );
}

describe('content searches in the figures', () => {
  it('are counted with their files, lines, processes and time', async () => {
    expect(await figuresOf(found({}))).toMatchObject({
      'searches_total ugrep matched': 1,
      'search_seconds_count ugrep': 1,
      'search_seconds_sum ugrep': 1.5,
      search_files_total: 40,
      search_events_total: 3,
      search_processes_total: 2,
    });
  });

  it.each<[string, ContentSearchOutcome | Error, boolean?]>([
    ['ugrep none', found({ count: 0 })],
    ['ugrep truncated', found({ truncated: true })],
    ['ugrep timed_out', found({ truncated: true, timed_out: true })],
    ['ugrep aborted', found({}), true],
    ['none none', found({ count: 0 }, { processes: 0 })],
    ['none bad_args', refused('BadArgs')],
    ['none failed', refused('ExecutionFailed')],
    ['none aborted', refused('ExecutionFailed'), true],
    ['none rejected', new WritError('RATE_LIMITED', 'too many')],
  ])('end as %s', async (labels, outcome, aborted) => {
    expect(await figuresOf(outcome, aborted)).toMatchObject({ [`searches_total ${labels}`]: 1 });
  });

  it('tell of approximate passes', async () => {
    expect(await figuresOf(found({}, { fallbackUsed: true }))).toMatchObject({ search_fallbacks_total: 1 });
  });
});

describe('the stats of content searches in the figures', () => {
  const rows = new Map<string, { readonly roles: readonly string[] }>(Object.entries(METRICS));

  it('have a metric of the searching roles for each field', { tags: ['FR-LSI-STAT-02.1'] }, () => {
    expect(Object.keys(STATS_METRICS).sort()).toEqual(Object.keys(ContentSearchStats.shape).sort());
    for (const name of Object.values(STATS_METRICS)) expect(rows.get(name)?.roles).toEqual(['api', 'worker']);
  });

  it('are counted whether the answer carries them or not; files only when it does', async () => {
    const facts = {
      ...NO_INDEX_SEARCH,
      index_safety_state: 'UNCERTAIN',
      index_uncertain_reason: 'WATCHER_DOWN',
      index_guarantee: 'inotify',
      storage_mode: 'memory',
      storage_fallback_reason: 'PERMISSION_DENIED',
      fallback_reason: 'LITERAL_NO_MATCHES',
      fuzzy_levels_tried: [1, 2],
      fallback_passes_skipped: 2,
      fallback_skip_reason: 'TIME_BUDGET',
      lines_cut: 5,
      truncation_assumed: true,
    } as const;
    const expected = {
      'search_index_states_total UNCERTAIN': 1,
      'search_uncertain_total WATCHER_DOWN': 1,
      'search_guarantees_total inotify': 1,
      'search_storage_total memory PERMISSION_DENIED': 1,
      'search_fallback_reasons_total LITERAL_NO_MATCHES': 1,
      'search_fuzzy_passes_total 1': 1,
      'search_fuzzy_passes_total 2': 1,
      'search_passes_skipped_total TIME_BUDGET': 2,
      search_lines_cut_total: 5,
      search_truncations_assumed_total: 1,
      'search_stats_total 1': 1,
    };
    const without = await figuresOf(found({}, { facts }));
    expect(without).toMatchObject(expected);
    expect(Object.keys(without).filter((name) => name.startsWith('search_candidates'))).toEqual([]);
    const stats = { ...facts, fuzzy_levels_tried: [1, 2], candidates_total: 10, candidates_excluded: 6, candidates_scanned: 4 };
    expect(await figuresOf(found({ stats }, { facts }))).toMatchObject({
      ...expected,
      'search_candidates_total eligible': 10,
      'search_candidates_total excluded': 6,
      'search_candidates_total scanned': 4,
    });
  });

  it('have no value that a stranger chose', async () => {
    const facts = { ...NO_INDEX_SEARCH, index_uncertain_reason: 'a word of a later version', storage_fallback_reason: '__proto__' };
    expect(await figuresOf(found({}, { facts }))).toMatchObject({ 'search_uncertain_total other': 1, 'search_storage_total none other': 1 });
  });
});
