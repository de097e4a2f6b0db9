import { stepForward } from '../../../core/code-points.ts';
import type { ScanErrorCode, TreeEnd } from '../../../core/ports/index.ts';
import { ScanError } from '../scan-error.ts';

type Refused = Extract<TreeEnd, { readonly ok: false }>;

const CODES = { unavailable: 'SCOPE_UNAVAILABLE', failed: 'EXECUTION_FAILED', exhausted: 'RESOURCE_EXHAUSTED' } satisfies Record<
  Refused['refusal'],
  ScanErrorCode
>;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is no directory, or a symbolic link',
  ELOOP: 'it is a symbolic link',
  EACCES: 'this account may not read it',
};

/** Code points of a path in a message, which has its own limit; deep trees have longer paths. */
const SHOWN = 200;

/** The error of a walk that did not reach its end. Names the place below the root, and nothing above it (search-executor.md 11). */
export function errorOf({ refusal, path, errno }: Refused): ScanError {
  const why = WHY[errno] ?? errno;
  if (refusal === 'unavailable') return new ScanError(CODES[refusal], `the directory of this scope cannot be searched: ${why}`);
  return new ScanError(CODES[refusal], `${shown(path)} in the directory of this scope cannot be read: ${why}`);
}

/** Quoted: a name may hold line breaks. */
function shown(path: string): string {
  const length = stepForward(path, 0, SHOWN);
  return length < path.length ? `${JSON.stringify(path.slice(0, length))}…` : JSON.stringify(path);
}
