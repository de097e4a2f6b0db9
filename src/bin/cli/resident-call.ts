import { readFileSync, statSync } from 'node:fs';
import { fixedEnvironment } from '../../../config/caller.ts';
import { readerIdentity } from '../../adapters/linux/reader-identity.ts';

const BUILD = new URL('../build-id', import.meta.url);

/** What this program was built from, as a hash; `undefined`: nobody has built it, and no process can know that it is the same. */
export function buildId(): string | undefined {
  try {
    return readFileSync(BUILD, 'utf8');
  } catch {
    return undefined;
  }
}

/** Who this process is, and which tree it sees: only a process that is the same in all of it may read in its place. */
export function callIdentity(): string {
  const { dev, ino } = statSync('/', { bigint: true });
  return JSON.stringify([readerIdentity(), `${dev}:${ino}`, fixedEnvironment()]);
}
