import { setTimeout as delay } from 'node:timers/promises';
import { viewOfPath } from '../../adapters/linux/place-identity.ts';
import { WritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { ContentSearch, ContentSearchOutcome } from '../../core/ports/index.ts';
import { realPath } from '../io/tree/real-path.ts';
import type { ContentProcessFacts } from './messages.ts';
import { createPendingSearches } from './pending-searches.ts';
import { type RunningProcess, type StartOptions, startProcess } from './start.ts';

export type { ContentProcessFacts } from './messages.ts';

/** Why the process ended without being asked to: by itself, or because a search had not ended long after its time. */
export type ProcessLoss = 'died' | 'hung';

export interface ContentProcessOptions extends StartOptions {
  /** Time of a search that names none, milliseconds. */
  readonly defaultTimeoutMs: number;
  /** The allowed roots: the kernel confines a process to what stood at these paths when it was started. */
  readonly roots?: readonly string[];
  /** Told of a process that is lost and of one that could not be started; another one follows. */
  readonly onLoss?: (why: ProcessLoss | 'not-started') => void;
  /** Told of each process that is ready. */
  readonly onReady?: (facts: ContentProcessFacts) => void;
}

/** Between two starts, when the one before came to nothing. */
const PAUSE_MS = 1_000;

/**
 * Content searches in a small process beside this one: starting a backend costs more the more memory its parent has, and
 * the process gives up every right but that of reading the allowed roots before it starts anything. It serves many
 * searches at once. A process that is lost is replaced at once; its searches answer ExecutionFailed. When an allowed root
 * was exchanged, the next search has a new process, and the old one ends with its last search.
 */
export function createContentProcess(options: ContentProcessOptions): ContentSearch & Lifecycle {
  let shouldRun = false;
  let current: Promise<RunningProcess> | undefined;
  /** Of the roots, when the current process was started. */
  let view = '';
  let started = 0;
  const retiring = new Set<RunningProcess>();
  const viewOfRoots = (): string => (options.roots ?? []).flatMap((root) => [root, realPath(root)].map(viewOfPath)).join(' ');

  const lost = (why: ProcessLoss | 'not-started'): void => {
    if (shouldRun) options.onLoss?.(why);
  };
  const pending = createPendingSearches({
    defaultTimeoutMs: options.defaultTimeoutMs,
    onHung(running) {
      lost('hung');
      running.kill();
    },
  });

  async function launch(): Promise<RunningProcess> {
    if (!shouldRun) throw new WritError('INTERNAL', 'nobody wants the process any more');
    view = viewOfRoots();
    started += 1;
    const own = started;
    const running = await startProcess(options);
    pending.adopt(running);
    options.onReady?.(running.facts);
    void running.ended.then(() => {
      const wasHung = pending.abandon(running);
      // One that had a successor already is no loss.
      if (own !== started) return;
      if (!wasHung) lost('died');
      if (shouldRun) void replace(0);
    });
    if (!shouldRun) running.kill();
    return running;
  }

  function replace(pauseMs: number): Promise<RunningProcess> {
    // Only a pause lets the program end: whoever starts waits for the process.
    const next = pauseMs === 0 ? launch() : delay(pauseMs, undefined, { ref: false }).then(launch);
    current = next;
    next.catch(() => {
      lost('not-started');
      if (shouldRun && current === next) void replace(PAUSE_MS);
    });
    return next;
  }

  /** The process for the roots as they stand now. */
  function following(): Promise<RunningProcess> | undefined {
    const before = current;
    if (!shouldRun || before === undefined || viewOfRoots() === view) return before;
    const next = replace(0);
    void retire(before);
    return next;
  }

  async function retire(before: Promise<RunningProcess>): Promise<void> {
    const old = await before.catch(() => undefined);
    if (old === undefined) return;
    retiring.add(old);
    await pending.whenIdle(old);
    retiring.delete(old);
    old.kill();
  }

  const life = lifecycle(
    async () => {
      shouldRun = true;
      // A process that cannot start is no reason to refuse everything else that this role does.
      await replace(0).catch(() => undefined);
    },
    async () => {
      shouldRun = false;
      const running = await current?.catch(() => undefined);
      current = undefined;
      const left = [...retiring, ...(running === undefined ? [] : [running])];
      for (const one of left) one.kill();
      await Promise.all(left.map(({ ended }) => ended));
    },
  );

  return {
    ...life,
    async search(request, signal) {
      const running = await following()?.catch(() => undefined);
      if (running === undefined) return NOT_STARTED;
      return signal.aborted ? STOPPED : pending.ask(running, request, signal);
    },
  };
}

const NOT_STARTED = failed('the process of content searches could not be started');
const STOPPED = failed('the search was stopped');

function failed(message: string): ContentSearchOutcome {
  return { ok: false, error: { code: 'ExecutionFailed', field: undefined, message } };
}
