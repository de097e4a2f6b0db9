import { describe, expect, it } from 'vitest';
import type { ContentSearchAnswer } from '../../../src/contracts/index.ts';
import { WritError } from '../../../src/core/errors.ts';
import type { ContentSearchOutcome } from '../../../src/core/ports/index.ts';
import { countContentSearches } from '../../../src/observability/content-search.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';

const ANSWER: ContentSearchAnswer = { pattern: 'x', path: '.', count: 3, matches: [], truncated: false, timed_out: false, content: '' };
const RUN = { backend: 'ugrep', elapsedMs: 1500, files: 40, processes: 2, fallbackUsed: false, indexBypass: 'INDEX_OFF', backendStderr: '' } as const;
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
    expect(await figuresOf(found({}))).toEqual({
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
