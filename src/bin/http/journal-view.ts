import { existsSync } from 'node:fs';
import { type JournalReader, openJournalReader } from '../../adapters/sqlite/journal/journal-reader.ts';
import type { Clock } from '../../core/clock.ts';
import type { TaskGateway } from '../../core/ports/index.ts';

/** How often somebody looks whether the first worker of this host has made the journal. */
const LOOK_MS = 1000;

/** The journal of this host as soon as there is one: the API may be older than it. */
export function createJournalView(file: string, clock: Clock): { current(): TaskGateway['journal']; close(): void } {
  let reader: JournalReader | undefined;
  let door: TaskGateway['journal'];
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    current() {
      if (door !== undefined || clock.monotonic() - lookedAt < LOOK_MS) return door;
      lookedAt = clock.monotonic();
      if (!existsSync(file)) return undefined;
      const opened = openJournalReader(file);
      reader = opened;
      door = { view: async (taskId) => opened.view(taskId) };
      return door;
    },
    close: () => reader?.close(),
  };
}
