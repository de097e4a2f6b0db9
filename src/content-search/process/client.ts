import { setTimeout as delay } from 'node:timers/promises';
import { WritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { ContentSearch, ContentSearchOutcome } from '../../core/ports/index.ts';
import type { ContentProcessFacts } from './messages.ts';
import { createPendingSearches } from './pending-searches.ts';
import { type RunningProcess, type StartOptions, startProcess } from './start.ts';

export type { ContentProcessFacts } from './messages.ts';

/** Why the process ended without being asked to: by itself, or because a search had not ended long after its time. */
export type ProcessLoss = 'died' | 'hung';

export interface ContentProcessOptions extends StartOptions {
  /** Time of a search that names none, milliseconds. */
  readonly defaultTimeoutMs: number;
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
 * searches at once. A process that is lost is replaced at once; its searches answer ExecutionFailed.
 */
export function createContentProcess(options: ContentProcessOptions): ContentSearch & Lifecycle {
  let shouldRun = false;
  let current: Promise<RunningProcess> | undefined;

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
    const running = await startProcess(options);
    pending.adopt(running);
    options.onReady?.(running.facts);
    void running.ended.then(() => {
      if (!pending.abandon(running)) lost('died');
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
      running?.kill();
      await running?.ended;
    },
  );

  return {
    ...life,
    async search(request, signal) {
      const running = await current?.catch(() => undefined);
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
