import { describe, expect, it } from 'vitest';
import { type CountedIndexEvent, countIndexEvent, followIndexes, logIndexEvent } from '../../../src/observability/content-index.ts';
import { countContentSearches } from '../../../src/observability/content-search.ts';
import { inContract } from '../../../src/observability/exposition.ts';
import { LOG_LINES } from '../../../src/observability/log-lines.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createMetrics, type Metrics } from '../../../src/observability/metrics.ts';
import { NO_INDEX_SEARCH } from '../../support/content/facts.ts';
import { indexGround } from '../../support/content/index-service.ts';

/** The samples above zero about the index. */
async function figures(metrics: Metrics): Promise<Record<string, number>> {
  const families = (await metrics.families()).filter(({ name }) => name.startsWith('writ_index_'));
  for (const family of families) expect([family.name, inContract(family)]).toEqual([family.name, true]);
  return Object.fromEntries(
    families
      .flatMap(({ samples }) => samples)
      .filter(({ name, value }) => value > 0 && !name.endsWith('_bucket'))
      .map(({ name, labels, value }) => [`${name.replace('writ_index_', '')} ${Object.values(labels).join(' ')}`.trimEnd(), value]),
  );
}

async function figuresAfter(...events: readonly CountedIndexEvent[]): Promise<Record<string, number>> {
  const metrics = createMetrics('index', '1');
  for (const one of events) countIndexEvent(metrics, one);
  return figures(metrics);
}

const safe = (state: 'COMPLETE' | 'UNCERTAIN', reason: 'WATCHER_OVERFLOW' | 'WATCHER_DOWN' | null = null) => ({ state, reason });

describe('an index host in the figures', () => {
  it('counts changes of state and new reasons for doubt, each once', async () => {
    expect(
      await figuresAfter(
        { kind: 'state', before: safe('COMPLETE'), after: safe('UNCERTAIN', 'WATCHER_OVERFLOW') },
        { kind: 'state', before: safe('UNCERTAIN', 'WATCHER_OVERFLOW'), after: safe('UNCERTAIN', 'WATCHER_OVERFLOW') },
        { kind: 'state', before: safe('UNCERTAIN', 'WATCHER_OVERFLOW'), after: safe('UNCERTAIN', 'WATCHER_DOWN') },
        { kind: 'state', before: safe('UNCERTAIN', 'WATCHER_DOWN'), after: safe('COMPLETE') },
      ),
    ).toEqual({
      'changes_total COMPLETE UNCERTAIN': 1,
      'changes_total UNCERTAIN COMPLETE': 1,
      'doubts_total WATCHER_OVERFLOW': 1,
      'doubts_total WATCHER_DOWN': 1,
    });
  });

  it('counts vetoes, and records that could not be written', async () => {
    expect(await figuresAfter({ kind: 'veto', veto: 'HARD_LINK' }, { kind: 'records-lost' }, { kind: 'armed' })).toEqual({
      'vetoes_total HARD_LINK': 1,
      records_lost_total: 1,
    });
  });

  it('counts tasks by their end, and times only those that ended well', async () => {
    const task = (task: 'build' | 'check', outcome: Extract<CountedIndexEvent, { kind: 'task' }>['outcome']): CountedIndexEvent => ({
      kind: 'task',
      task,
      outcome,
      elapsedMs: 2500,
    });
    expect(
      await figuresAfter(task('build', 'done'), task('build', 'failed'), task('build', 'over-budget'), task('check', 'corrupt'), task('check', 'checked')),
    ).toEqual({
      'tasks_total build ok': 1,
      'tasks_total build failed': 1,
      'tasks_total build over_budget': 1,
      'tasks_total check corrupt': 1,
      'tasks_total check ok': 1,
      'task_seconds_count build': 1,
      'task_seconds_sum build': 2.5,
      'task_seconds_count check': 1,
      'task_seconds_sum check': 2.5,
    });
  });

  it('shows how its indexes are at the moment of the scrape', async () => {
    await using ground = await indexGround();
    const metrics = createMetrics('index', '1');
    let standing = await ground.service.status();
    followIndexes(metrics, () => standing);
    expect(await figures(metrics)).toEqual({
      'indexes COMPLETE': 1,
      serving: 1,
      files: 1234,
      size_bytes: 4096,
      'overlay_entries file': 3,
      'overlay_entries subtree': 1,
      built_files: 1234,
      built_bytes: 1_048_576,
    });
    ground.setActivity({ kind: 'build', phase: 'TOKENIZE', done: 300, total: 1200, started_at: '2026-01-02T03:04:05.000Z' });
    standing = await ground.service.status();
    expect(await figures(metrics)).toMatchObject({ 'phases TOKENIZE': 1, 'phase_files done': 300, 'phase_files total': 1200 });
    standing = standing.map((one) => ({ ...one, state: 'UNCERTAIN', reason: 'WATCHER_DOWN' }));
    expect(await figures(metrics)).toMatchObject({ 'indexes UNCERTAIN': 1, 'reasons WATCHER_DOWN': 1 });
    standing = [];
    expect(await figures(metrics)).toEqual({});
  });

  it('shows for how long a build runs', { tags: ['FR-LSI-BG-21'] }, async () => {
    await using ground = await indexGround();
    const metrics = createMetrics('index', '1');
    const elapsed = async (): Promise<number | undefined> => (await figures(metrics))['build_elapsed_seconds'];
    const activity = { phase: 'TOKENIZE', done: 1, total: 2, started_at: '2026-01-02T03:04:05.000Z' } as const;
    let standing = await ground.service.status();
    followIndexes(metrics, () => standing, { now: () => Date.parse('2026-01-02T03:05:35.500Z'), monotonic: () => 0 });
    expect(await elapsed()).toBeUndefined();
    ground.setActivity({ ...activity, kind: 'build' });
    standing = await ground.service.status();
    expect(await elapsed()).toBe(90.5);
    ground.setActivity({ ...activity, kind: 'reconcile' });
    standing = await ground.service.status();
    expect(await elapsed()).toBeUndefined();
  });

  it('shows for how long the index that has served least lately has not', async () => {
    await using ground = await indexGround();
    const metrics = createMetrics('index', '1');
    const [one] = await ground.service.status();
    if (one === undefined) throw new Error('there is an index');
    let [standing, now] = [[one, { ...one, root: '/other' }], 0];
    followIndexes(metrics, () => standing, { now: () => now, monotonic: () => now });
    const staleness = async (): Promise<number> => (await figures(metrics))['staleness_seconds'] ?? 0;
    expect(await staleness()).toBe(0);
    now = 60_000;
    standing = [one, { ...one, root: '/other', serving: false, state: 'UNCERTAIN' }];
    expect(await staleness()).toBe(60);
    now = 90_000;
    expect(await staleness()).toBe(90);
    standing = [one, { ...one, root: '/other', serving: false, state: 'DISABLED' }];
    expect(await staleness()).toBe(0);
    standing = [one];
    expect(await staleness()).toBe(0);
  });
});

describe('searches in the figures of the index', () => {
  const searched = async (indexBypass: string | null, more: object = {}): Promise<Record<string, number>> => {
    const metrics = createMetrics('worker', '1');
    const answer = { pattern: 'x', path: '.', count: 0, matches: [], truncated: false, timed_out: false, content: '' };
    const run = {
      backend: 'rg',
      elapsedMs: 1,
      files: 1,
      processes: 1,
      fallbackUsed: false,
      indexBypass,
      facts: NO_INDEX_SEARCH,
      backendStderr: '',
      ...more,
    } as const;
    await countContentSearches({ search: async () => ({ ok: true, answer, run }) }, metrics).search({}, new AbortController().signal);
    return figures(metrics);
  };

  it.each([
    [null, 'none'],
    ['VETO', 'VETO'],
    ['TOO_SHORT', 'TOO_SHORT'],
    ['a word of a later version', 'other'],
    ['__proto__', 'other'],
  ])('are counted by why the index was not used: %s', async (bypass, label) => {
    expect(await searched(bypass)).toEqual({ [`searches_total ${label}`]: 1 });
  });

  it('tell what was left out, and how long they waited for the host', async () => {
    expect(await searched(null, { indexExcluded: 800, indexBarrierMs: 0.5 })).toEqual({
      'searches_total none': 1,
      excluded_files_total: 800,
      barrier_seconds_count: 1,
      barrier_seconds_sum: 0.0005,
    });
  });
});

describe('an index host in the log', () => {
  it('writes a line for each event, updates only for those who debug', () => {
    const lines: Record<string, unknown>[] = [];
    const log = createLogger('info', 'index', { destination: { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) } });
    logIndexEvent(log, '/tree', { kind: 'veto', veto: 'HARD_LINK' });
    logIndexEvent(log, '/tree', { kind: 'task', task: 'update', outcome: 'done', detail: '', elapsedMs: 1 });
    logIndexEvent(log, '/tree', { kind: 'task', task: 'build', outcome: 'done', detail: '3 files', elapsedMs: 7 });
    logIndexEvent(log, '/tree', { kind: 'records-lost', message: 'no room' });
    expect(lines.map(({ level, root, msg, veto, detail, ms, problem }) => ({ level, root, msg, veto, detail, ms, problem }))).toEqual([
      { level: 30, root: '/tree', msg: LOG_LINES.indexVeto.message, veto: 'HARD_LINK' },
      { level: 30, root: '/tree', msg: LOG_LINES.indexTask.message, detail: '3 files', ms: 7 },
      { level: 50, root: '/tree', msg: LOG_LINES.indexRecordsLost.message, problem: 'no room' },
    ]);
  });
});
