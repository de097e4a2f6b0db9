import type { IndexActivity, IndexStatus, IndexTaskEnd, IndexTaskKind } from '../../../contracts/index.ts';
import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { BuildJob, BuildOutcome, IndexTaskHandler, WatchSignal } from '../../../core/ports/index.ts';
import { mismatches } from '../safety/index.ts';
import { FRESH, hostRecord, NEEDS_ARMING, TRIGGER_OF_VETO } from './record.ts';
import { statusOf } from './status.ts';
import { TASKS, type TaskContext } from './tasks.ts';
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
    activity: null,
  };
  const ends = new Map<IndexTaskKind, IndexTaskEnd>();
  let lastBuild: IndexStatus['last_build'] = null;
  let documents = 0;
  let isStopping = new AbortController();
  let isRunning = false;
  let passes: NodeJS.Timeout | undefined;

  const submit = (kind: IndexTaskKind, reason: string): void => {
    if (isStopping.signal.aborted) return;
    // Redis may be away: the next signal, or the pass of the next start, asks again.
    deps.lane.submit({ keyHash: deps.keyHash, kind, reason }).catch(() => undefined);
  };
  const record = hostRecord(deps, memory, submit);
  const tell = (): void => deps.watch.setStatus(JSON.stringify(status()));

  const run = async (job: BuildJob, signal: AbortSignal, told?: (activity: IndexActivity) => void): Promise<BuildOutcome> => {
    const outcome = await deps.builder.run(job, {
      signal,
      onProgress(progress) {
        if (memory.activity !== null) memory.activity = { ...memory.activity, progress };
        tell();
        const { activity } = status();
        if (activity !== null) told?.(activity);
      },
    });
    if (outcome.outcome === 'done' && job.kind === 'build') {
      documents = outcome.documents;
      const startedAtMs = memory.activity?.startedAtMs ?? deps.now();
      lastBuild = { elapsed_ms: deps.now() - startedAtMs, files: outcome.documents, bytes: outcome.readBytes, ended_at: timeText(deps.now()) };
    }
    return outcome;
  };

  async function ensureWatched(): Promise<void> {
    if (memory.unarmed === null) return;
    if (!deps.settings.watch) return chooseStat();
    const result = await deps.watch.arm();
    deps.report({ kind: 'armed', result });
    if (result.ok) {
      memory.unarmed = null;
      memory.guarantee = 'inotify';
      record.apply({ kind: 'WATCHER_STARTED' });
    } else if (result.refused === 'FILE_SYSTEM') {
      chooseStat();
    } else {
      memory.unarmed = result.refused;
      memory.guarantee = 'none';
      record.apply({ kind: 'WATCHER_DOWN' });
    }
  }

  /** Searches look at each file themselves before it is left out; the index is brought up to date now and then. */
  function chooseStat(): void {
    memory.unarmed = null;
    memory.guarantee = 'stat';
    record.apply({ kind: 'STAT_LEVEL_CHOSEN' });
    passes ??= setInterval(() => submit('reconcile', 'no events tell what has changed'), STAT_PASS_MS).unref();
  }

  const perform: IndexTaskHandler = async (task, job, signal, told) => {
    if (!isRunning || signal.aborted) throw new Error('the index host does not run');
    const startedAtMs = deps.now();
    memory.activity = { kind: task.kind, startedAtMs, progress: null };
    tell();
    const both = AbortSignal.any([signal, isStopping.signal]);
    const context: TaskContext = { deps, memory, record, submit, ensureWatched, run: (one) => run(one, both, told) };
    try {
      const end = await TASKS[task.kind](context);
      const elapsedMs = deps.now() - startedAtMs;
      deps.report({ kind: 'task', task: task.kind, outcome: end.outcome, detail: end.detail, elapsedMs });
      const ok = !FAILURES.has(end.outcome);
      ends.set(task.kind, { kind: task.kind, job, ok, detail: end.detail, ended_at: timeText(deps.now()), elapsed_ms: elapsedMs });
      // The lane shows it as failed; one that was stopped it does again.
      if (!ok || end.outcome === 'stopped') throw new Error(end.detail);
    } finally {
      memory.activity = null;
      tell();
    }
  };

  function onSignal(signal: WatchSignal): void {
    if (!isRunning) return;
    if (signal.kind === 'pending') {
      memory.pending = signal.entries;
      submit('update', `${signal.entries} changes`);
    } else if (signal.kind === 'corrupt') {
      memory.snapshot = null;
      record.apply({ kind: 'INTEGRITY_FAILED' });
      void record.publish();
    } else onVeto(signal);
    tell();
  }

  function onVeto({ veto, seq }: Extract<WatchSignal, { kind: 'veto' }>): void {
    memory.veto = { veto, seq };
    if (NEEDS_ARMING.has(veto)) memory.unarmed = veto;
    deps.report({ kind: 'veto', veto });
    const kind = TRIGGER_OF_VETO[veto];
    if (kind !== undefined) record.apply({ kind });
    void record.publish();
  }

  /** What is there already, and whether it may be trusted after a pass (FR-LSI-BG-50, -52). */
  async function open(): Promise<void> {
    const found = deps.files.current();
    const stored = deps.store.write((records) => {
      const meta = records.meta(deps.keyHash);
      const differs = meta !== undefined && mismatches(meta, deps.wanted).length > 0;
      if (meta === undefined || differs) records.create(freshMeta(deps), FRESH);
      return { meta: records.meta(deps.keyHash), differs };
    });
    memory.recordsLost = !stored.ok;
    if (stored.ok) memory.meta = stored.value.meta;
    record.apply({ kind: 'PROCESS_STARTED', nowMs: deps.now() });
    if (memory.safety.state === 'DISABLED') return;
    if (deps.settings.mode === 'auto' && (await isSmall())) return;
    if (found === undefined) record.apply({ kind: 'FILE_MISSING' });
    else if (found === 'DAMAGED' || (stored.ok && stored.value.differs)) {
      deps.files.sweep(null);
      record.apply({ kind: found === 'DAMAGED' ? 'INTEGRITY_FAILED' : 'FILE_MISSING' });
    } else {
      memory.snapshot = found;
      deps.files.sweep(found);
      if (deps.settings.integrityCheck !== 'off') submit('check', 'opened');
      record.apply({ kind: 'OPEN_OK' });
    }
  }

  async function isSmall(): Promise<boolean> {
    const { autoThresholdFiles, autoThresholdBytes } = deps.settings;
    const measured = await run({ kind: 'measure', files: autoThresholdFiles, bytes: autoThresholdBytes }, isStopping.signal);
    if (measured.outcome !== 'measured' || measured.above) return false;
    record.apply({ kind: 'BELOW_THRESHOLD' });
    return true;
  }

  function status(): IndexStatus {
    const { keyHash, wanted } = deps;
    const bytes = memory.snapshot === null ? 0 : (memory.meta?.sizeBytes ?? 0);
    const ended = [...ends.values()].sort((a, b) => (a.ended_at < b.ended_at ? 1 : -1));
    return statusOf(memory, { root: wanted.key.rootPath, keyHash, storage: deps.storage, files: documents, bytes, lastBuild, ended });
  }

  async function start(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    isStopping = new AbortController();
    deps.watch.onSignal(onSignal);
    await deps.watch.start();
    await deps.builder.start();
    await open();
    await record.publish();
    tell();
  }

  async function stop(): Promise<void> {
    if (!isRunning) return;
    isRunning = false;
    clearInterval(passes);
    passes = undefined;
    isStopping.abort();
    await deps.builder.stop();
    await deps.watch.stop();
  }

  return { status, perform, start, stop, [Symbol.asyncDispose]: stop };
}

/** An index without events gets older: this is how old. */
const STAT_PASS_MS = 60_000;

const FAILURES: ReadonlySet<string> = new Set(['failed', 'corrupt', 'over-budget']);

function freshMeta({ keyHash, wanted, now }: HostDeps) {
  const nowMs = now();
  return { ...wanted, keyHash, createdAtMs: nowMs, updatedAtMs: nowMs, accessedAtMs: nowMs, sizeBytes: 0, generation: null, enumerateErrors: 0 };
}

const timeText = (ms: number): string => new Date(ms).toISOString();
