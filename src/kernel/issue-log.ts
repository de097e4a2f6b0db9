import type { Clock } from '../core/clock.ts';
import type { IssueEntry, KernelStore } from '../core/ports/index.ts';

type Recorded = 'recorded' | 'conflict';

/** Records leases; all requests of one turn of the event loop share one transaction and so one fsync. */
export function createIssueLog(store: KernelStore, clock: Clock): (entries: readonly IssueEntry[]) => Promise<readonly Recorded[]> {
  let waiting: { entries: readonly IssueEntry[]; resolve(recorded: readonly Recorded[]): void; reject(error: unknown): void }[] = [];

  function flush(): void {
    const batch = waiting;
    waiting = [];
    try {
      const recorded = store.issue(
        batch.flatMap(({ entries }) => entries),
        clock.now(),
      );
      let at = 0;
      for (const { entries, resolve } of batch) {
        resolve(recorded.slice(at, at + entries.length));
        at += entries.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (entries) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ entries, resolve, reject });
    });
}
