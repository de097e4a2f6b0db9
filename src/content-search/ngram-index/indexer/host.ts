import type { IndexActivity, IndexStatus, IndexTaskEnd, IndexTaskKind } from '../../../contracts/index.ts';
import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { BuildJob, BuildOutcome, IndexTaskHandler, WatchSignal } from '../../../core/ports/index.ts';
import { LOST_SEGMENT } from '../query/refusal.ts';
import { ensureWatched } from './ensure-watched.ts';
import { lostSegment, openIndex } from './open.ts';
import { createPasses, type PassKind, routineMs } from './passes.ts';
import { FRESH, type HostRecord, hostRecord, NEEDS_ARMING, TRIGGER_OF_VETO } from './record.ts';
import { createRetries } from './retries.ts';
import { createSearchCounter } from './search-counter.ts';
import { statusOf } from './status.ts';
import type { TaskContext } from './task-context.ts';
import { crashed, TASKS } from './tasks.ts';
import type { HostDeps, HostMemory } from './types.ts';

export interface IndexHost extends Lifecycle {
  status(): IndexStatus;
  /** Does a task of the lane of this index. Tasks must not overlap. */
  readonly perform: IndexTaskHandler;
}

/**
 * The host of one index: the one writer of its record, and the one who decides what its threads do (design 8, docs/search-index.md).
 * It never answers a search itself: that is the watch thread's, so that nothing here can hold a search up (FR-LSI-BG-10).
 */
export function createIndexHost(deps: HostDeps): IndexHost {
  const memory: HostMemory = {
    safety: FRESH,
    snapshot: null,
    guarantee: 'none',
    unarmed: 'it was never armed',
    recordsLost: false,
    veto: null,
    pending: 0,
    meta: undefined,
    policy: null,
    resets: 0,
    job: null,
    activity: null,
  };
  const ends = new Map<IndexTaskKind, IndexTaskEnd>();
  let lastBuild: IndexStatus['last_build'] = null;
  let documents: number | null = null;
  let touchedMs = 0;
  let isStopping = new AbortController();
  let isRunning = false;
  let isMeasuring = false;

  const retries = createRetries(deps.now, deps.pauses);
  const send = (kind: IndexTaskKind, reason: string): void => {
    if (isStopping.signal.aborted) return;
    const sent = deps.lane.submit({ keyHash: deps.keyHash, kind, reason: reason.slice(0, MAX_REASON) });
    // Redis may be away.
    sent.then(
      () => retries.worked(`send ${kind}`),
      () => isStopping.signal.aborted || retries.later(`send ${kind}`, () => submit(kind, reason)),
    );
  };
  const { now, random, pauses } = deps;
  const passes = createPasses({ now, random, pauses, submit: send, routineMs: (tookMs, isWell) => routineMs(memory.guarantee, tookMs, isWell) });
  const submit = (kind: IndexTaskKind, reason: string): void => (isPass(kind) ? passes.need(kind, reason) : send(kind, reason));
  const record = watched(hostRecord(deps, memory, submit), afterChange);
  const tell = (): void => deps.watch.setStatus(JSON.stringify(status()));

  const { integrityCheck, integrityPeriodCalls, autoReevalCalls, idleBoostMs } = deps.settings;
  const searchCounter = createSearchCounter({
    idleBoostMs,
    setBoost: (on) => deps.builder.setBoost(on),
    periods: [
      ...(integrityCheck === 'periodic' ? [{ searches: integrityPeriodCalls, due: () => submit('check', `${integrityPeriodCalls} searches`) }] : []),
      { searches: autoReevalCalls, due: () => void measureAgain() },
    ],
  });

  const run = async (job: BuildJob, signal: AbortSignal, told?: (activity: IndexActivity) => void): Promise<BuildOutcome> => {
    const own = new AbortController();
    memory.job = own;
    const outcome = await deps.builder.run(job, {
      signal: AbortSignal.any([signal, own.signal]),
      onProgress(progress) {
        if (memory.activity !== null) memory.activity = { ...memory.activity, progress };
        tell();
        const { activity } = status();
        if (activity !== null) told?.(activity);
      },
    });
    if (memory.job === own) memory.job = null;
    if (outcome.outcome === 'done' && job.kind === 'build') {
      documents = outcome.documents;
      const startedAtMs = memory.activity?.startedAtMs ?? deps.now();
      lastBuild = { elapsed_ms: deps.now() - startedAtMs, files: outcome.documents, bytes: outcome.readBytes, ended_at: timeText(deps.now()) };
    }
    return outcome;
  };

  const perform: IndexTaskHandler = async (task, job, signal, told) => {
    if (!isRunning || signal.aborted) throw new Error('the index host does not run');
    const startedAtMs = deps.now();
    memory.activity = { kind: task.kind, startedAtMs, progress: null };
    tell();
    const both = AbortSignal.any([signal, isStopping.signal]);
    const isAsked = task.reason.startsWith(ASKED);
    const watched = (): Promise<boolean> => ensureWatched({ deps, memory, record });
    const context: TaskContext = {
      ...{ deps, memory, record, retries, isAsked, submit, passBegins: passes.begin },
      ensureWatched: watched,
      run: (one) => run(one, both, told),
    };
    if (isPass(task.kind)) passes.enter();
    try {
      const end = await TASKS[task.kind](context).catch((error: unknown) => crashed(context, task.kind, error));
      const elapsedMs = deps.now() - startedAtMs;
      deps.report({ kind: 'task', task: task.kind, outcome: end.outcome, detail: end.detail, elapsedMs });
      const ok = !FAILURES.has(end.outcome);
      ends.set(task.kind, { kind: task.kind, job, ok, detail: end.detail, ended_at: timeText(deps.now()), elapsed_ms: elapsedMs });
      // The lane shows it as failed; one that was stopped it does again.
      if (!ok || end.outcome === 'stopped') throw new Error(end.detail);
    } finally {
      if (isPass(task.kind)) passes.leave(memory.safety.state === 'COMPLETE');
      memory.activity = null;
      tell();
    }
  };

  function onSignal(signal: WatchSignal): void {
    if (!isRunning) return;
    if (signal.kind === 'pending') {
      memory.pending = signal.entries;
      if (signal.entries > 0) submit('update', `${signal.entries} changes`);
    } else if (signal.kind === 'corrupt') {
      onDamage(signal.message);
    } else if (signal.kind === 'asked') onAsked(signal.searches);
    else onVeto(signal);
    tell();
  }

  /** FR-LSI-IDX-RM-02: the order of eviction is that of use; one write for many searches. */
  function onAsked(searches: number): void {
    searchCounter.count(searches);
    if (deps.now() - touchedMs < TOUCH_EVERY_MS) return;
    touchedMs = deps.now();
    record.apply({ kind: 'ACCESSED' });
  }

  /** A search met something, and went without the index; it may have come too late only. What it met is looked at before it is believed. */
  function onDamage(message: string): void {
    if (memory.snapshot === null) return;
    const lost = lostSegment(deps.files, memory.snapshot);
    if (lost !== undefined) record.apply({ kind: 'INTEGRITY_FAILED' });
    else if (!message.startsWith(LOST_SEGMENT)) submit('check', message);
    void record.publish();
  }

  /** What a change leaves to be done at another time. */
  function afterChange(): void {
    const { state, disabledUntilMs } = memory.safety;
    if (state === 'DISABLED' && disabledUntilMs !== null) retries.at('pause', disabledUntilMs, endPause);
    if (!memory.recordsLost) retries.worked('records');
    else
      retries.later('records', () => {
        record.apply();
        void record.publish();
        tell();
      });
  }

  function endPause(): void {
    if (record.apply({ kind: 'COOLDOWN_CHECKED', nowMs: deps.now() }).state === 'ABSENT') record.apply({ kind: 'FILE_MISSING' });
    void record.publish();
  }

  function onVeto({ veto, seq }: Extract<WatchSignal, { kind: 'veto' }>): void {
    memory.veto = { veto, seq };
    if (NEEDS_ARMING.has(veto)) memory.unarmed = veto;
    deps.report({ kind: 'veto', veto });
    const kind = TRIGGER_OF_VETO[veto];
    if (kind !== undefined) record.apply({ kind });
    void record.publish();
  }

  async function isSmall(): Promise<boolean> {
    const { autoThresholdFiles, autoThresholdBytes } = deps.settings;
    const measured = await run({ kind: 'measure', files: autoThresholdFiles, bytes: autoThresholdBytes }, isStopping.signal);
    return measured.outcome === 'measured' && !measured.above;
  }

  /** A tree that was too small may have grown (FR-LSI-BG-06). */
  async function measureAgain(): Promise<void> {
    if (memory.safety.reason !== 'BELOW_THRESHOLD' || isMeasuring) return;
    isMeasuring = true;
    const { autoThresholdFiles, autoThresholdBytes } = deps.settings;
    const measured = await run({ kind: 'measure', files: autoThresholdFiles, bytes: autoThresholdBytes }, isStopping.signal);
    isMeasuring = false;
    if (measured.outcome === 'measured' && measured.above) record.apply({ kind: 'THRESHOLD_EXCEEDED' });
    await record.publish();
    tell();
  }

  function status(): IndexStatus {
    const { keyHash, spec } = deps;
    const bytes = memory.snapshot === null ? 0 : (memory.meta?.sizeBytes ?? 0);
    const ended = [...ends.values()].sort((a, b) => (a.ended_at < b.ended_at ? 1 : -1));
    return statusOf(memory, { root: spec.key.rootPath, keyHash, storage: deps.storage, files: documents, bytes, lastBuild, ended });
  }

  async function start(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    isStopping = new AbortController();
    deps.watch.onSignal(onSignal);
    await deps.watch.start();
    await deps.builder.start();
    searchCounter.start();
    await openIndex({ deps, memory, record, isSmall, check: () => submit('check', 'opened') });
    afterChange();
    await record.publish();
    tell();
  }

  async function stop(): Promise<void> {
    if (!isRunning) return;
    isRunning = false;
    searchCounter.stop();
    passes.stop();
    isStopping.abort();
    retries.stop();
    await deps.builder.stop();
    await deps.watch.stop();
  }

  return { status, perform, start, stop, [Symbol.asyncDispose]: stop };
}

const isPass = (kind: IndexTaskKind): kind is PassKind => kind === 'build' || kind === 'reconcile';

const FAILURES: ReadonlySet<string> = new Set(['failed', 'corrupt', 'over-budget']);

const TOUCH_EVERY_MS = 60_000;
/** A lane takes no more of it. */
const MAX_REASON = 200;
/** How reasons begin that come from somebody (src/surfaces/shared/content-index). */
const ASKED = 'asked ';

/** A record of which each change is followed by something. */
function watched(record: HostRecord, then: () => void): HostRecord {
  return {
    ...record,
    apply(...triggers) {
      const next = record.apply(...triggers);
      then();
      return next;
    },
  };
}

const timeText = (ms: number): string => new Date(ms).toISOString();
