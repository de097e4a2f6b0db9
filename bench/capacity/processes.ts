import { readdirSync, readFileSync } from 'node:fs';

/** CPU and memory of a process and of what it has started, from /proc. */
export interface Used {
  /** Microseconds of the main thread, of its other threads, and of all processes below it, those that have ended included. */
  readonly loopUs: number;
  readonly threadsUs: number;
  readonly childrenUs: number;
  readonly residentBytes: number;
  readonly childResidentBytes: number;
}

const TICK_US = 10_000;
const PAGE = 4096;
// Fields of /proc/<pid>/stat behind the name in brackets, counted from 0: state is 0.
const UTIME = 11;
const STIME = 12;
const CUTIME = 13;
const CSTIME = 14;
const RSS = 21;

export function usedBy(pid: number): Used {
  const whole = statOf(`/proc/${pid}/stat`);
  const main = statOf(`/proc/${pid}/task/${pid}/stat`);
  const loopUs = ticks(main, UTIME, STIME);
  const below = descendants(pid).map((child) => readStat(`/proc/${child}/stat`));
  const alive = below.filter((stat) => stat !== undefined);
  return {
    loopUs,
    threadsUs: ticks(whole, UTIME, STIME) - loopUs,
    // What was waited for counts with its parent.
    childrenUs: ticks(whole, CUTIME, CSTIME) + alive.reduce((sum, stat) => sum + ticks(stat, UTIME, STIME, CUTIME, CSTIME), 0),
    residentBytes: (whole[RSS] ?? 0) * PAGE,
    childResidentBytes: Math.max(0, ...alive.map((stat) => (stat[RSS] ?? 0) * PAGE)),
  };
}

/** Microseconds in which all processors were busy, and microseconds of all together, since the machine started. */
export function machineTimes(): { readonly busyUs: number; readonly allUs: number } {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '';
  // user nice system idle iowait irq softirq steal; guests are in user already.
  const fields = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const all = fields.reduce((sum, field) => sum + field, 0);
  const idle = (fields[3] ?? 0) + (fields[4] ?? 0);
  return { busyUs: (all - idle) * TICK_US, allUs: all * TICK_US };
}

function ticks(stat: readonly number[], ...at: readonly number[]): number {
  return at.reduce((sum, field) => sum + (stat[field] ?? 0), 0) * TICK_US;
}

function statOf(file: string): readonly number[] {
  return readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
}

/** Undefined when the process has ended meanwhile. */
function readStat(file: string): readonly number[] | undefined {
  try {
    return statOf(file);
  } catch {
    return undefined;
  }
}

function descendants(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });
  return children.flatMap((child) => {
    try {
      return [child, ...descendants(child)];
    } catch {
      return [child];
    }
  });
}
