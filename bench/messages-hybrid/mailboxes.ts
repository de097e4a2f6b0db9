import { existsSync } from 'node:fs';
import path from 'node:path';
import { ingest } from '../messages/ingest.ts';

const SIZES = { '10k': 10_000, '100k': 100_000 } as const;

/** A generated mailbox of a size, by its name in figures. */
export interface BenchMailbox {
  readonly size: string;
  readonly count: number;
  readonly file: string;
}

/** Made where they are not there yet. */
export function mailboxesIn(home: string, scale: number): readonly BenchMailbox[] {
  return Object.entries(SIZES).map(([size, full]) => {
    const count = Math.max(100, Math.round(full * scale));
    const file = path.join(home, `messages-${count}.sqlite`);
    if (!existsSync(file)) ingest(file, count);
    return { size, count, file };
  });
}
