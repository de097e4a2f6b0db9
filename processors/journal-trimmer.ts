import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../src/core/clock.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { FileJournal } from '../src/core/ports/index.ts';

/** Attempts that one transaction looks at. */
const PORTION = 200;

export interface JournalTrimmerOptions {
  /** A journal of this host; other workers may trim it too. */
  readonly journal: Pick<FileJournal, 'trim'>;
  /** `journal.retention_s`, milliseconds. */
  readonly retentionMs: number;
  /** Between two passes. */
  readonly everyMs: number;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Told of each portion that trimmed something. */
  readonly onTrimmed: (tasks: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Trims a journal (docs/protocol.md 5), at the start and then regularly, from its oldest attempts on. A portion is followed by
 * a pause as long as it took, so that tasks have at least half of the journal. A pass that fails is given up until the next.
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

async function pass({ journal, retentionMs, clock, onTrimmed }: JournalTrimmerOptions, signal: AbortSignal): Promise<void> {
  const before = clock.now() - retentionMs;
  let after: number | undefined = 0;
  while (after !== undefined && !signal.aborted) {
    const started = clock.monotonic();
    const { tasks, last }: Awaited<ReturnType<FileJournal['trim']>> = await journal.trim(after, before, PORTION);
    if (tasks > 0) onTrimmed(tasks);
    after = last;
    await delay(clock.monotonic() - started, undefined, { signal }).catch(() => undefined);
  }
}
