import { readdirSync, readFileSync } from 'node:fs';
import { patient } from '../support/patience.ts';

/** A field in which nothing ends for so long has a cause that should be known. */
const STALLED_MS = patient(20_000);

/** Tells once for every standstill what the processes of the field were waiting for. Called in regular intervals. */
export function createStallWatch(progress: () => number, pids: () => readonly number[], tell: (note: string) => void): () => void {
  let seen = -1;
  let since = Date.now();
  let told = false;
  return () => {
    if (progress() !== seen) {
      seen = progress();
      since = Date.now();
      told = false;
    } else if (!told && Date.now() - since > STALLED_MS) {
      told = true;
      tell(`standstill: ${[...pids().map(describeProcess), `io pressure ${read('/proc/pressure/io')}`, `locks ${read('/proc/locks')}`].join('\n')}`);
    }
  };
}

/** State and what each thread waits for in the kernel (`wchan`; `/proc/<pid>/task`). */
function describeProcess(pid: number): string {
  const threads = list(`/proc/${pid}/task`).map((id) => {
    const stat = read(`/proc/${pid}/task/${id}/stat`);
    return `${stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))} ${stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)} ${read(`/proc/${pid}/task/${id}/wchan`)}`;
  });
  return `${pid}: ${threads.join(', ')}`;
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
