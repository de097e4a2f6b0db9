import type { BackendKind } from '../../core/ports/index.ts';

/** How a backend words what it cannot do. */
interface Wording {
  /** A file that it could not read; the path as it was given, and the reason of the system. */
  readonly file: RegExp;
  /** The reason in a message about the pattern. */
  readonly pattern: RegExp;
  /** What stands in front of each message. */
  readonly prefix: RegExp;
}

/**
 * Measured: ugrep `ugrep: warning: ./f: No such file or directory`, and for patterns a picture of the place with
 * `\___reason` beneath it. ripgrep `rg: ./f: IO error for operation on ./f: No such file or directory (os error 2)`,
 * `rg: ./f: Permission denied (os error 13)`, and for patterns a picture and `error: reason`, or one sentence; version 13
 * without `rg: `.
 */
const WORDING: Readonly<Record<BackendKind, Wording>> = {
  ugrep: {
    file: /^(?:ugrep: )?warning: (?:cannot (?:open|read) )?\.\/(?<path>.+?): (?<reason>[^:]+)$/,
    pattern: /\\___(?<reason>[^\n]+)/,
    prefix: /^ugrep: (?:error: )?/,
  },
  rg: {
    file: /^(?:rg: )?\.\/(?<path>.+?): (?:IO error for operation on .+: )?(?<reason>[^:(]+?) \(os error \d+\)$/,
    pattern: /^error: (?<reason>[^\n]+)/m,
    prefix: /^rg: /,
  },
};

/** A file that a backend says it could not read. */
export interface FileComplaint {
  readonly path: string;
  readonly reason: string;
}

/** The files that a backend complained about, in its order. Names with line ends are not found: `complaintAbout` looks for one. */
export function fileComplaints(kind: BackendKind, stderr: string): readonly FileComplaint[] {
  return stderr.split('\n').flatMap((line) => {
    const { path, reason } = WORDING[kind].file.exec(line)?.groups ?? {};
    return path === undefined || reason === undefined ? [] : [{ path, reason }];
  });
}

/** What a backend said of this one file, whatever its name is like; `undefined`: nothing. */
export function complaintAbout(path: string, stderr: string): string | undefined {
  const named = `./${path}: `;
  // Some messages name the file twice; the reason follows the last.
  const at = stderr.lastIndexOf(named);
  if (at < 0) return undefined;
  return stderr
    .slice(at + named.length)
    .split('\n')[0]
    ?.replace(/ \(os error \d+\)$/, '');
}

const REASON_MAX = 200;

/** Why a backend refuses a pattern, in its words and short: `mismatched ( )`, `unclosed group`. */
export function patternRefusal(kind: BackendKind, stderr: string): string {
  const { pattern, prefix } = WORDING[kind];
  const firstLine = stderr.trim().split('\n')[0] ?? '';
  const reason = (pattern.exec(stderr)?.groups?.['reason'] ?? firstLine.replace(prefix, '')).trim();
  return reason === '' ? 'no reason given' : reason.slice(0, REASON_MAX);
}
