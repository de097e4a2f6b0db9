import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The clock of a process (CLOCK_REALTIME), which can be moved while it runs and while all others keep theirs. Its steady clock stays right. */
export interface OtherClock {
  /** What stands before the command of the process. */
  readonly launcher: readonly string[];
  /** So many seconds ahead from its next look at the clock on; negative: behind; 0: right. */
  move(aheadS: number): void;
  /** What a process that was killed leaves in shared memory. */
  forget(pid: number): void;
}

/** Looked at anew each time; the steady clock and the times of files are those of everybody. */
const SWITCHES = ['FAKETIME_NO_CACHE=1', 'FAKETIME_DONT_FAKE_MONOTONIC=1', 'NO_FAKE_STAT=1'];
const LIBRARIES = '/usr/lib';

/** @param directory of the test: the file that tells the clock lies there */
export function createOtherClock(directory: string): OtherClock {
  const file = path.join(directory, 'clock');
  const clock: OtherClock = {
    launcher: ['env', `LD_PRELOAD=${library()}`, `FAKETIME_TIMESTAMP_FILE=${file}`, ...SWITCHES],
    move(aheadS) {
      // Never half a file: it is read at each look at the clock.
      writeFileSync(`${file}.new`, `${aheadS < 0 ? '' : '+'}${aheadS}\n`);
      renameSync(`${file}.new`, file);
    },
    forget(pid) {
      for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) rmSync(path.join('/dev/shm', name), { force: true });
    },
  };
  clock.move(0);
  return clock;
}

function library(): string {
  const found = readdirSync(LIBRARIES)
    .map((machine) => path.join(LIBRARIES, machine, 'faketime/libfaketime.so.1'))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error('libfaketime is missing; run: sudo apt-get update && sudo apt-get install -y libfaketime');
  return found;
}
