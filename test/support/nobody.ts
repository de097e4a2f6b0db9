import { statSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';

/** The account that owns nothing. */
export const NOBODY = 65_534;

/** @throws Error with the command to run where this process may not start one as another user */
export function needsRoot(): void {
  if (process.geteuid?.() !== 0) throw new Error('this test runs a process as another user, which only root may; run: sudo npm test');
}

/** `program` and `args` for `spawn`. */
export interface CommandLine {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * How Node runs these words as `nobody`, with the process id, the channel and the streams of the one that is started. A
 * clone in a directory that only its owner may enter (`/root` is one) is reached all the same, and nothing is opened to
 * anybody else: the process has mounts of its own, in which that directory holds nothing but the clone and Node.
 *
 * @param words what stands after `node`
 * @param needed directories that it reads; by default the checkout and the one of Node
 * @throws Error with the command to run when one of these itself is closed to others, or this process is not root's
 */
export function asNobody(words: readonly string[], needed: readonly [string, string] = [packageRoot(), path.dirname(process.execPath)]): CommandLine {
  needsRoot();
  for (const directory of needed) {
    if (isClosed(directory)) throw new Error(`this test runs a process as another user, who may not read ${directory}; run: chmod -R o+rX ${directory}`);
  }
  const closed = [...new Set(needed.flatMap((directory) => outermostClosed(directory) ?? []))];
  const drop = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--', process.execPath, ...words];
  const [program = '', ...args] =
    closed.length === 0 ? drop : ['unshare', '-m', 'sh', '-ec', REACH, 'sh', ...needed, String(closed.length), ...closed, ...drop];
  return { program, args };
}

/** Keeps two directories open, puts empty ones over those that are closed, and mounts the two where they were. */
const REACH = `
first=$1 second=$2 closed=$3
shift 3
exec 8<"$first" 9<"$second"
for _ in $(seq "$closed"); do mount -t tmpfs -o mode=755 tmpfs "$1"; shift; done
mkdir -p "$first"
mount -c --rbind /proc/self/fd/8 "$first"
mkdir -p "$second"
mount -c --rbind /proc/self/fd/9 "$second"
exec "$@" 8<&- 9<&-
`;

/** The first directory on the way to this one that others may not enter. */
function outermostClosed(directory: string): string | undefined {
  const above: string[] = [];
  for (let at = path.dirname(directory); above[0] !== at; at = path.dirname(at)) above.unshift(at);
  return above.find(isClosed);
}

function isClosed(directory: string): boolean {
  return (statSync(directory).mode & 0o001) === 0;
}
