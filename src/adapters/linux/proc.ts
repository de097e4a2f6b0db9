import { readFileSync } from 'node:fs';

/** `starttime` of proc_pid_stat(5) is field 22; `state`, the first one behind the command, is field 3. */
const START_TIME = 22 - 3;

/**
 * Start time of a process in clock ticks since boot, as decimal text; with the pid it names a process for as long as
 * the machine runs. Undefined when the process is gone or hidden from us.
 */
export function startTimeOf(pid: number): string | undefined {
  try {
    return parseStartTime(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The command in field 2 is in parentheses and may itself hold spaces and parentheses; the last `)` ends it. */
export function parseStartTime(stat: string): string | undefined {
  const text = fieldsOf(stat)[START_TIME];
  return text !== undefined && /^\d+$/.test(text) ? text : undefined;
}

/** The letter of the process's state: `R`, `S`, `T`, … */
export function parseState(stat: string): string | undefined {
  return fieldsOf(stat)[0];
}

/** The fields behind the command. */
function fieldsOf(stat: string): readonly string[] {
  const end = stat.lastIndexOf(')');
  if (end < 0) return [];
  return stat
    .slice(end + 1)
    .trim()
    .split(/\s+/);
}

/**
 * Whether a process with this pid and start time may still exist. Only a definite no is a no: a process that exists
 * but shows no start time may be the one.
 */
export function mayExist(pid: number, startTime: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const found = startTimeOf(pid);
  return found === undefined || found === startTime;
}
