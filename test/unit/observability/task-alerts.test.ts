import { describe } from 'vitest';
import { FAILURE_REASONS, type FailureReason } from '../../../src/contracts/index.ts';
import { type Story, tellStories } from '../../support/alerts.ts';

const ended = (reason: FailureReason | 'none', values: string) => {
  const labels = 'role="worker", instance="w", capability="FILE_MOVE"';
  return { [`writ_task_outcomes_total{${labels}, whose="${reason === 'none' ? 'none' : FAILURE_REASONS[reason].whose}"}`]: values };
};
const queue = (name: string, values: string, more = '') => ({ [`writ_queue_${name}{role="api", instance="api", queue="file"${more}}`]: values });
const waiting = (values: string) => queue('jobs', values, ', state="waiting"');
const worker = (name: string, values: string, more = '') => ({ [`writ_${name}{role="worker", instance="w"${more}}`]: values });
const pendingAge = (values: string) => ({ 'writ_webhook_oldest_pending_age_seconds{role="api", instance="api"}': values });
const deadNotices = (values: string) => ({ 'writ_webhook_attempts_total{role="api", instance="api", end="dead"}': values });
const droppedTexts = (values: string) => ({ 'writ_webhook_dropped_total{role="api", instance="api", what="text"}': values });
/** A worker that began at this minute, and what it shows from its first scrape on. */
const newWorker = (name: string, value: number, minute: number, more = '') => ({
  ...worker(name, `_x${minute} ${value}x60`, more),
  'process_start_time_seconds{role="worker", instance="w"}': `_x${minute} ${minute * 60 - 2}x60`,
});
const FILE = { queue: 'file' };
const MOVE = { capability: 'FILE_MOVE' };

describe('prometheus/task-alerts.yml', () => {
  const stories: [string, Story][] = [
    [
      'a fifth of the tasks fails',
      { alert: 'WritErrorBudgetBurnFast', series: { ...ended('none', '0+8x90'), ...ended('io_error', '0+2x90') }, after: '80m', labels: MOVE },
    ],
    [
      'producers send expired leases',
      { alert: 'WritErrorBudgetBurnFast', series: { ...ended('none', '0+8x90'), ...ended('lease_expired', '0+9x90') }, after: '80m', labels: undefined },
    ],
    [
      'a producer names files that are not there',
      {
        alert: 'WritErrorBudgetBurnFast',
        series: { ...ended('none', '0+8x90'), ...ended('source_missing', '0+9x90') },
        after: '80m',
        labels: undefined,
      },
    ],
    [
      'a tool fails',
      { alert: 'WritErrorBudgetBurnFast', series: { ...ended('none', '0+8x90'), ...ended('tool_failed', '0+2x90') }, after: '80m', labels: MOVE },
    ],
    [
      'three tasks failed in a quiet hour',
      {
        alert: 'WritErrorBudgetBurnFast',
        series: { ...ended('none', '0x90'), ...ended('io_error', '0x75 1 2 3x20') },
        after: '78m',
        labels: undefined,
      },
    ],
    [
      'failures are over',
      {
        alert: 'WritErrorBudgetBurnFast',
        series: { ...ended('none', '0+8x120'), ...ended('disk_full', '0+8x30 240x90') },
        after: '80m',
        labels: undefined,
      },
    ],
    [
      'a twentieth fails for a day',
      {
        alert: 'WritErrorBudgetBurnSlow',
        step: '10m',
        series: { ...ended('none', '0+95x160'), ...ended('worker_lost', '0+5x160') },
        after: '25h',
        labels: MOVE,
      },
    ],
    [
      'one of a thousand fails',
      {
        alert: 'WritErrorBudgetBurnSlow',
        step: '10m',
        series: { ...ended('none', '0+999x160'), ...ended('worker_lost', '0+1x160') },
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
    [
      'a log cannot be put aside',
      {
        alert: 'WritLogGrows',
        series: worker('rotation_failing', '0x5 1x30', ', file="log"'),
        after: '25m',
        labels: { file: 'log', instance: 'w', role: 'worker' },
      },
    ],
    [
      'a log could not be put aside for a moment',
      { alert: 'WritLogGrows', series: worker('rotation_failing', '0x5 1x10 0x30', ', file="log"'), after: '25m', labels: undefined },
    ],
    ['a receiver hangs', { alert: 'WritWebhooksNotDelivered', series: pendingAge('0+60x120'), after: '90m', labels: {} }],
    ['a receiver was away for a moment', { alert: 'WritWebhooksNotDelivered', series: pendingAge('0+60x20 0x60'), after: '60m', labels: undefined }],
    ['a notice was given up', { alert: 'WritWebhooksNotDelivered', series: deadNotices('0x5 1x60'), after: '30m', labels: {} }],
    ['the outbox is full', { alert: 'WritWebhooksNotDelivered', series: droppedTexts('0x5 7x60'), after: '30m', labels: {} }],
    ['a notice was given up two hours ago', { alert: 'WritWebhooksNotDelivered', series: deadNotices('0x5 1x180'), after: '150m', labels: undefined }],
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
    [
      'a base directory is mounted over',
      {
        alert: 'WritPlaceExchanged',
        series: worker('place_exchanged', '0 1x9', ', place="base:inbox"'),
        after: '4m',
        labels: { place: 'base:inbox', instance: 'w' },
      },
    ],
    [
      'a disk is mounted anew within a minute',
      { alert: 'WritPlaceExchanged', series: worker('place_exchanged', '0 1 0x9', ', place="base:inbox"'), after: '4m', labels: undefined },
    ],
    ['a worker hears', { alert: 'WritWorkerDeaf', series: worker('worker_deaf', '0x9', ', queue="file"'), after: '2m', labels: undefined }],
    [
      'the revocation log is damaged',
      { alert: 'WritRevocationsDamaged', series: worker('revocations_damaged', '0 1x9'), after: '2m', labels: { instance: 'w' } },
    ],
    [
      'its page is where the external label says',
      {
        alert: 'WritRevocationsDamaged',
        series: worker('revocations_damaged', '0 1x9'),
        after: '2m',
        labels: { instance: 'w' },
        runbooks: 'https://wiki.example.org/writ',
      },
    ],
    ['the revocation log is whole', { alert: 'WritRevocationsDamaged', series: worker('revocations_damaged', '0x9'), after: '2m', labels: undefined }],
    ['jobs of a lost worker', { alert: 'WritStalled', series: worker('stalled_total', '0x5 2x20'), after: '10m', labels: {} }],
    [
      'jobs of a lost worker, put back by a new one before it was scraped',
      { alert: 'WritStalled', series: newWorker('stalled_total', 2, 5), after: '10m', labels: {} },
    ],
    ['a new worker put jobs back, long ago', { alert: 'WritStalled', series: newWorker('stalled_total', 2, 5), after: '40m', labels: undefined }],
    ['a new worker put nothing back', { alert: 'WritStalled', series: newWorker('stalled_total', 0, 5), after: '10m', labels: undefined }],
    ['jobs were lost long ago', { alert: 'WritStalled', series: worker('stalled_total', '0x5 2x40'), after: '40m', labels: undefined }],
    ['locks are lost', { alert: 'WritLocksLost', series: worker('lock_renewal_failures_total', '0x5 1x20'), after: '10m', labels: {} }],
    ['no lock was lost', { alert: 'WritLocksLost', series: worker('lock_renewal_failures_total', '3x20'), after: '10m', labels: undefined }],
    [
      'a file is uncertain',
      { alert: 'WritRecoveryIncident', series: worker('recoveries_total', '0x5 1x20', ', decision="incident"'), after: '10m', labels: {} },
    ],
    [
      'a file is uncertain to a worker that has just begun',
      { alert: 'WritRecoveryIncident', series: newWorker('recoveries_total', 1, 5, ', decision="incident"'), after: '10m', labels: {} },
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
    ['the ledger was rebuilt as a worker began', { alert: 'WritLedgerLost', series: newWorker('ledger_rebuilds_total', 1, 3), after: '20m', labels: {} }],
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
  tellStories('task', stories);
});
