import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../src/core/clock.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { FileJournal } from '../src/core/ports/index.ts';

/** Attempts that one transaction looks at, or rows of plans that it deletes. */
const PORTION = 200;
/** A moment is quiet when at most this part of the time of a look was work. */
const QUIET = 0.5;
const LOOK_MS = 50;
/** A host that is never quiet trims all the same: a portion every so many looks, half a minute. */
const MAX_LOOKS = 600;

export interface JournalTrimmerOptions {
  /** A journal of this host; other workers may trim it too. */
  readonly journal: Pick<FileJournal, 'trim'>;
  /** `journal.retention_s`, milliseconds. */
  readonly retentionMs: number;
  /** Between two passes. */
  readonly everyMs: number;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Begins to measure the event loop; answers which part of the time since then was work, 0 to 1. */
  readonly load?: () => () => number;
  /** Told of each portion that trimmed something. */
  readonly onTrimmed: (tasks: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Trims a journal (docs/protocol.md 5, docs/plan-protocol.md 7), at the start and then regularly, the oldest first. A portion
 * waits until the event loop has little to do, and is followed by a pause as long as it took, so that tasks have at least half
 * of the journal. A pass that fails is given up until the next.
 */
export function createJournalTrimmer(options: JournalTrimmerOptions): Lifecycle {
  const { everyMs, onError } = options;
  let stop = new AbortController();
  let trimming: Promise<void> | undefined;

  async function passes({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      await pass(options, signal).catch(onError);
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return lifecycle(
    () => {
      stop = new AbortController();
      trimming = passes(stop);
    },
    async () => {
      stop.abort();
      await trimming;
    },
  );
}

async function pass({ journal, retentionMs, clock, onTrimmed, load = loopLoad }: JournalTrimmerOptions, signal: AbortSignal): Promise<void> {
  const before = clock.now() - retentionMs;
  let after: number | undefined = 0;
  while (after !== undefined && !signal.aborted) {
    await quiet(load, signal);
    if (signal.aborted) return;
    const started = clock.monotonic();
    const { tasks, last }: Awaited<ReturnType<FileJournal['trim']>> = await journal.trim(after, before, PORTION);
    if (tasks > 0) onTrimmed(tasks);
    after = last;
    await delay(clock.monotonic() - started, undefined, { signal }).catch(() => undefined);
  }
}

async function quiet(load: () => () => number, signal: AbortSignal): Promise<void> {
  for (let look = 0; look < MAX_LOOKS && !signal.aborted; look += 1) {
    const part = load();
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (part() <= QUIET) return;
  }
}

function loopLoad(): () => number {
  const began = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(began).utilization;
}
