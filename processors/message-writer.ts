import type { IngestCounts } from '../src/contracts/index.ts';
import { type Lifecycle, lifecycle, sequential } from '../src/core/lifecycle.ts';
import type { MessageLane, MessageStore } from '../src/core/ports/index.ts';

export interface MessageWriterParts {
  readonly lane: MessageLane;
  readonly store: MessageStore;
  /** Told of each batch that was done. */
  readonly onDone: (counts: IngestCounts) => void;
  /** Told why nothing can be written; the jobs wait. */
  readonly onStandBy: (error: unknown) => void;
}

/**
 * Takes the jobs of the queue `message-index` to the one writer. A database that cannot be opened keeps nothing else of its
 * process from working: then the lane only submits.
 */
export function messageWriter({ lane, store, onDone, onStandBy }: MessageWriterParts): Lifecycle {
  const opened = lifecycle(
    async () => {
      try {
        await store.start();
      } catch (error) {
        onStandBy(error);
        return;
      }
      lane.process(async (batch) => {
        const outcome = await store.write(batch);
        onDone(outcome.counts);
        return outcome;
      });
    },
    () => store.stop(),
  );
  return sequential([opened, lane]);
}
