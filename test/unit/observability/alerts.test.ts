import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/places.ts';
import { METRICS } from '../../../src/observability/events.ts';
import type { MetricRow } from '../../../src/observability/metric-row.ts';
import { alertsOf, rulesOf, type Story, teller } from '../../support/alerts.ts';

const FILES = ['task', 'redis', 'index', 'message'] as const;
const RUNBOOKS = path.join(packageRoot(), 'docs', 'runbooks');
const rows = new Map(Object.entries<MetricRow>(METRICS));
const room = mkdtempSync(path.join(tmpdir(), 'writ-alerts-'));
afterAll(() => rmSync(room, { recursive: true }));

describe('runbooks', () => {
  const alerts = FILES.flatMap((file) => alertsOf(file));

  it('are one page for each alert, and each page has its alert', () => {
    const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(alerts.map(({ alert }) => `${alert}.md`).sort());
  });

  it.each(alerts.map((one) => [one.alert, one] as const))('say what %s means, what is seen and what to do', (name, { annotations, labels }) => {
    expect(annotations).toMatchObject({
      summary: expect.stringMatching(/\.$/),
      description: expect.stringMatching(/[.?]$/),
      runbook_url: `docs/runbooks/${name}.md`,
    });
    expect(labels.severity).toMatch(/^(warning|critical)$/);
    const page = readFileSync(path.join(RUNBOOKS, `${name}.md`), 'utf8');
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text]) => text);
    expect(headings).toEqual([name, 'What it means', 'What you see', 'What to do']);
    for (const [, target = ''] of page.matchAll(/\]\(([^)#]+)/g)) expect([target, readable(path.join(RUNBOOKS, target))]).toEqual([target, true]);
  });

  it('name only metrics of the contract, as the rules do', () => {
    const texts = [
      ...FILES.flatMap((file) => rulesOf(file).map(({ expr }) => expr)),
      ...alerts.map(({ alert }) => readFileSync(path.join(RUNBOOKS, `${alert}.md`), 'utf8')),
    ];
    for (const text of texts)
      for (const [name] of text.matchAll(/(?<![:\w])(writ|process|nodejs)_[a-z0-9_]+(?![\w-])/g))
        expect([name, rows.has(name) || rows.get(name.replace(/_(bucket|sum|count)$/, ''))?.type === 'histogram']).toEqual([name, true]);
  });
});

function readable(file: string): boolean {
  try {
    return readFileSync(file).length > 0;
  } catch {
    return false;
  }
}

const ended = (code: string, values: string) => ({
  [`writ_tasks_finished_total{role="worker", instance="w", capability="FILE_MOVE", status="x", error_code="${code}"}`]: values,
});
const queue = (name: string, values: string, more = '') => ({ [`writ_queue_${name}{role="api", instance="api", queue="file"${more}}`]: values });
const waiting = (values: string) => queue('jobs', values, ', state="waiting"');
const worker = (name: string, values: string, more = '') => ({ [`writ_${name}{role="worker", instance="w"${more}}`]: values });
const redis = (name: string, values: string) => ({ [`writ_redis_${name}{role="api", instance="api"}`]: values });
const FILE = { queue: 'file' };
const MOVE = { capability: 'FILE_MOVE' };

describe('prometheus/message-alerts.yml', () => {
  const failures = (values: string) => ({ 'writ_message_ingest_failures_total{role="api", instance="api"}': values });
  const errors = (values: string) => ({ 'writ_message_search_engine_errors_total{role="api", instance="api", engine="fts5"}': values });
  const stories: [string, Story][] = [
    ['an engine fails', { alert: 'WritMessageSearchFailing', series: errors('0+1x40'), after: '20m', labels: { engine: 'fts5' } }],
    ['an engine failed once', { alert: 'WritMessageSearchFailing', series: errors('0x5 1x40'), after: '20m', labels: undefined }],
    ['ingest fails', { alert: 'WritMessagesNotTakenIn', series: failures('0x5 1x20'), after: '12m', labels: {} }],
    ['nothing failed', { alert: 'WritMessagesNotTakenIn', series: failures('3x30'), after: '20m', labels: undefined }],
  ];
  const told = teller('message', stories, room);
  it.each(stories)('tells, or is silent: %s', (_, story) => {
    expect(told(story)).toBe('as told');
  });
});

describe('prometheus/task-alerts.yml', () => {
  const stories: [string, Story][] = [
    [
      'a fifth of the tasks fails',
      { alert: 'WritErrorBudgetBurnFast', series: { ...ended('none', '0+8x90'), ...ended('EXECUTION_FAILED', '0+2x90') }, after: '80m', labels: MOVE },
    ],
    [
      'producers send expired leases',
      { alert: 'WritErrorBudgetBurnFast', series: { ...ended('none', '0+8x90'), ...ended('LEASE_EXPIRED', '0+9x90') }, after: '80m', labels: undefined },
    ],
    [
      'three tasks failed in a quiet hour',
      {
        alert: 'WritErrorBudgetBurnFast',
        series: { ...ended('none', '0x90'), ...ended('EXECUTION_FAILED', '0x75 1 2 3x20') },
        after: '78m',
        labels: undefined,
      },
    ],
    [
      'failures are over',
      {
        alert: 'WritErrorBudgetBurnFast',
        series: { ...ended('none', '0+8x120'), ...ended('EXECUTION_FAILED', '0+8x30 240x90') },
        after: '80m',
        labels: undefined,
      },
    ],
    [
      'a twentieth fails for a day',
      {
        alert: 'WritErrorBudgetBurnSlow',
        step: '10m',
        series: { ...ended('none', '0+95x160'), ...ended('RESOURCE_EXHAUSTED', '0+5x160') },
        after: '25h',
        labels: MOVE,
      },
    ],
    [
      'one of a thousand fails',
      {
        alert: 'WritErrorBudgetBurnSlow',
        step: '10m',
        series: { ...ended('none', '0+999x160'), ...ended('RESOURCE_EXHAUSTED', '0+1x160') },
        after: '25h',
        labels: undefined,
      },
    ],
    [
      'a task waits',
      { alert: 'WritOldestWaiting', series: { ...queue('oldest_waiting_age_seconds', '0+60x30'), ...queue('paused', '0x30') }, after: '15m', labels: FILE },
    ],
    [
      'a task waits in a paused queue',
      {
        alert: 'WritOldestWaiting',
        series: { ...queue('oldest_waiting_age_seconds', '0+60x30'), ...queue('paused', '1x30') },
        after: '15m',
        labels: undefined,
      },
    ],
    ['a queue is paused', { alert: 'WritQueuePaused', series: { ...queue('paused', '1x30'), ...waiting('4x30') }, after: '17m', labels: FILE }],
    ['an empty queue is paused', { alert: 'WritQueuePaused', series: { ...queue('paused', '1x30'), ...waiting('0x30') }, after: '17m', labels: undefined }],
    [
      'nobody serves a queue',
      { alert: 'WritNoWorker', series: { ...queue('workers', '0x30'), ...waiting('1x30'), ...queue('paused', '0x30') }, after: '4m', labels: FILE },
    ],
    [
      'a worker serves it',
      { alert: 'WritNoWorker', series: { ...queue('workers', '1x30'), ...waiting('1x30'), ...queue('paused', '0x30') }, after: '4m', labels: undefined },
    ],
    [
      'a worker is deaf',
      { alert: 'WritWorkerDeaf', series: worker('worker_deaf', '0 1x9', ', queue="file"'), after: '2m', labels: { ...FILE, instance: 'w' } },
    ],
    ['a worker hears', { alert: 'WritWorkerDeaf', series: worker('worker_deaf', '0x9', ', queue="file"'), after: '2m', labels: undefined }],
    ['jobs of a lost worker', { alert: 'WritStalled', series: worker('stalled_total', '0x5 2x20'), after: '10m', labels: {} }],
    ['jobs were lost long ago', { alert: 'WritStalled', series: worker('stalled_total', '0x5 2x40'), after: '40m', labels: undefined }],
    ['locks are lost', { alert: 'WritLocksLost', series: worker('lock_renewal_failures_total', '0x5 1x20'), after: '10m', labels: {} }],
    ['no lock was lost', { alert: 'WritLocksLost', series: worker('lock_renewal_failures_total', '3x20'), after: '10m', labels: undefined }],
    [
      'a file is uncertain',
      { alert: 'WritRecoveryIncident', series: worker('recoveries_total', '0x5 1x20', ', decision="incident"'), after: '10m', labels: {} },
    ],
    [
      'a task was finished',
      { alert: 'WritRecoveryIncident', series: worker('recoveries_total', '0x5 1x20', ', decision="finish"'), after: '10m', labels: undefined },
    ],
    ['deliveries crash', { alert: 'WritDeliveriesCrash', series: worker('deliveries_ended_total', '0+1x20', ', end="crashed"'), after: '10m', labels: {} }],
    [
      'one delivery crashed',
      { alert: 'WritDeliveriesCrash', series: worker('deliveries_ended_total', '0 1x20', ', end="crashed"'), after: '10m', labels: undefined },
    ],
    [
      'an id is used twice',
      { alert: 'WritLedgerConflicts', series: worker('ledger_answers_total', '0x5 1x20', ', answer="conflict"'), after: '10m', labels: {} },
    ],
    [
      'an answer is given again',
      { alert: 'WritLedgerConflicts', series: worker('ledger_answers_total', '0x5 1x20', ', answer="finished"'), after: '10m', labels: undefined },
    ],
    [
      'markers are gone',
      {
        alert: 'WritLedgerLost',
        series: { 'writ_ledger_markers{role="api"}': '256 0x9', 'writ_ledger_markers_expected{role="api"}': '256x10' },
        after: '2m',
        labels: {},
      },
    ],
    ['the ledger was rebuilt', { alert: 'WritLedgerLost', series: worker('ledger_rebuilds_total', '0x3 1x30'), after: '20m', labels: {} }],
    [
      'the ledger is whole',
      {
        alert: 'WritLedgerLost',
        series: {
          'writ_ledger_markers{role="api"}': '256x10',
          'writ_ledger_markers_expected{role="api"}': '256x10',
          ...worker('ledger_rebuilds_total', '1x10'),
        },
        after: '9m',
        labels: undefined,
      },
    ],
    [
      'the disk is slow',
      {
        alert: 'WritJournalSlow',
        series: {
          ...worker('journal_commit_seconds_bucket', '0x40', ', le="0.25"'),
          ...worker('journal_commit_seconds_bucket', '0+9x40', ', le="1"'),
          ...worker('journal_commit_seconds_bucket', '0+9x40', ', le="+Inf"'),
        },
        after: '20m',
        labels: {},
      },
    ],
    [
      'the disk is fast',
      {
        alert: 'WritJournalSlow',
        series: {
          ...worker('journal_commit_seconds_bucket', '0+9x40', ', le="0.25"'),
          ...worker('journal_commit_seconds_bucket', '0+9x40', ', le="1"'),
          ...worker('journal_commit_seconds_bucket', '0+9x40', ', le="+Inf"'),
        },
        after: '20m',
        labels: undefined,
      },
    ],
    [
      'an event loop is blocked',
      {
        alert: 'WritEventLoopBlocked',
        series: { 'nodejs_eventloop_lag_p99_seconds{role="worker", instance="w"}': '2x30' },
        after: '15m',
        labels: { role: 'worker', instance: 'w' },
      },
    ],
    [
      'an event loop was blocked for a moment',
      {
        alert: 'WritEventLoopBlocked',
        series: { 'nodejs_eventloop_lag_p99_seconds{role="worker", instance="w"}': '0x9 2 0x20' },
        after: '15m',
        labels: undefined,
      },
    ],
    ['Writ is away', { alert: 'WritDown', series: { 'writ_build_info{role="worker"}': '1x9' }, after: '4m', labels: { role: 'api' } }],
    [
      'a certificate ends within two weeks',
      {
        alert: 'WritCertificateEnds',
        series: { 'writ_certificate_expires_timestamp_seconds{role="api"}': '1209000x30' },
        after: '20m',
        labels: { role: 'api' },
      },
    ],
    [
      'a certificate is good for longer',
      { alert: 'WritCertificateEnds', series: { 'writ_certificate_expires_timestamp_seconds{role="api"}': '1300000x30' }, after: '20m', labels: undefined },
    ],
    ['Writ is there', { alert: 'WritDown', series: { 'writ_build_info{role="api"}': '1x9' }, after: '4m', labels: undefined }],
  ];
  const told = teller('task', stories, room);
  it.each(stories)('tells, or is silent: %s', (_, story) => {
    expect(told(story)).toBe('as told');
  });
});

describe('prometheus/redis-alerts.yml', () => {
  const stories: [string, Story][] = [
    ['Redis is away', { alert: 'WritRedisUnreadable', series: { 'writ_exporter_up{role="api"}': '0x9' }, after: '4m', labels: {} }],
    ['Redis was away for a moment', { alert: 'WritRedisUnreadable', series: { 'writ_exporter_up{role="api"}': '1 0 1x9' }, after: '4m', labels: undefined }],
    ['Redis may evict', { alert: 'WritRedisPolicy', series: redis('noeviction', '0x9'), after: '2m', labels: {} }],
    ['Redis may not evict', { alert: 'WritRedisPolicy', series: redis('noeviction', '1x9'), after: '2m', labels: undefined }],
    [
      'Redis is nearly full',
      { alert: 'WritRedisMemory', series: { ...redis('memory_used_bytes', '90x20'), ...redis('memory_limit_bytes', '100x20') }, after: '8m', labels: {} },
    ],
    [
      'Redis has no limit',
      { alert: 'WritRedisMemory', series: { ...redis('memory_used_bytes', '90x20'), ...redis('memory_limit_bytes', '0x20') }, after: '8m', labels: undefined },
    ],
    [
      'Redis writes no file',
      { alert: 'WritRedisPersistence', series: { ...redis('append_only', '0x9'), ...redis('append_only_ok', '1x9') }, after: '3m', labels: {} },
    ],
    [
      'Redis cannot write its file',
      { alert: 'WritRedisPersistence', series: { ...redis('append_only', '1x9'), ...redis('append_only_ok', '0x9') }, after: '3m', labels: {} },
    ],
    [
      'Redis writes its file',
      { alert: 'WritRedisPersistence', series: { ...redis('append_only', '1x9'), ...redis('append_only_ok', '1x9') }, after: '3m', labels: undefined },
    ],
  ];
  const told = teller('redis', stories, room);
  it.each(stories)('tells, or is silent: %s', (_, story) => {
    expect(told(story)).toBe('as told');
  });
});
