import { appendFileSync, closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type Deed, firedName, type Point, planName, type WorkerSetup } from './setup.ts';

const DEEDS = {
  kill: () => process.kill(process.pid, 'SIGKILL'),
  stop: () => process.kill(process.pid, 'SIGSTOP'),
  rename: ({ from, to }) => renameSync(from, to),
  append: ({ file, text }) => appendFileSync(file, text),
  fill: ({ file }) => fill(file),
} satisfies { [K in Deed['do']]: (deed: Extract<Deed, { do: K }>) => void };

/**
 * Carries out armed plans. A plan belongs to one task and one point and strikes once, in whichever process passes the
 * point first: the rename of its file decides.
 */
export function strikeAt({ armed, fired }: Pick<WorkerSetup, 'armed' | 'fired'>): (point: Point, taskId: string) => void {
  return (point, taskId) => {
    const mine = path.join(fired, firedName(taskId, point, process.pid));
    try {
      renameSync(path.join(armed, planName(taskId, point)), mine);
    } catch {
      return;
    }
    const deeds: readonly Deed[] = JSON.parse(readFileSync(mine, 'utf8'));
    for (const deed of deeds) (DEEDS[deed.do] as (deed: Deed) => void)(deed);
  };
}

const CHUNK = Buffer.alloc(4096, 'x');

function fill(file: string): void {
  const fd = openSync(file, 'wx');
  try {
    for (;;) writeSync(fd, CHUNK);
  } catch {
    // ENOSPC is what was wanted.
  } finally {
    closeSync(fd);
  }
}
