import { compareCodePoints, stepForward } from '../../../core/code-points.ts';
import type { FilesScope, ScanErrorCode, TreeEnd, TreeSource, TreeVisitor } from '../../../core/ports/index.ts';
import { type Collector, createCollector } from '../collector.ts';
import type { Scan } from '../scan.ts';
import { ScanError } from '../scan-error.ts';
import { snippetOf } from '../snippet.ts';
import { createMatcher } from './matcher.ts';

/**
 * SEARCH_FILES (search-executor.md 7.1): regular files below a directory whose names contain the query, ordered by their
 * paths relative to it, which are their ids. A name that is not UTF-8 has no code points, so that no text is its id: such
 * files are no records.
 *
 * The scan throws ScanError SCOPE_UNAVAILABLE when there is no such directory, EXECUTION_FAILED when something below it
 * cannot be read, RESOURCE_EXHAUSTED when the system has no descriptors left. Blocks its thread until it is done.
 */
export function createFilesScan(trees: TreeSource): Scan<FilesScope> {
  return async ({ path }, { query, maxResults }) => {
    const paths = createCollector<string>(maxResults, compareCodePoints);
    const end = trees.walk(path, createVisitor(query, paths));
    if (!end.ok) throw errorOf(end);
    return paths.found();
  };
}

/** Looks for the query in the bytes of each name; most names never become a string. */
function createVisitor(query: string, paths: Collector<string>): TreeVisitor {
  const matches = createMatcher(new TextEncoder().encode(query));
  let textOf: (block: Uint8Array, start: number, end: number) => string | undefined = () => undefined;
  let pathOf = (): string => '';
  /** Path of the directory, made for its first match. */
  let path: string | undefined;
  let isWanted = true;

  return {
    enter(directory) {
      pathOf = directory.path;
      textOf = directory.textOf;
      path = undefined;
    },
    file(block, start, end) {
      if (!matches(block, start, end)) return;
      const name = textOf(block, start, end);
      if (name === undefined) return;
      if (path === undefined) {
        path = pathOf();
        // All ids in here come after the directory's own path: when that is too late, so are they.
        isWanted = paths.wants(path);
      }
      if (!isWanted) {
        paths.skip();
        return;
      }
      const id = path + name;
      paths.add(id, () => ({ id, match_field: 'filename', match_snippet: snippetOf(name, name.indexOf(query), query) }));
    },
  };
}

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
function errorOf({ refusal, path, errno }: Refused): ScanError {
  const why = WHY[errno] ?? errno;
  if (refusal === 'unavailable') return new ScanError(CODES[refusal], `the directory of this scope cannot be searched: ${why}`);
  return new ScanError(CODES[refusal], `${shown(path)} in the directory of this scope cannot be read: ${why}`);
}

/** Quoted: a name may hold line breaks. */
function shown(path: string): string {
  const length = stepForward(path, 0, SHOWN);
  return length < path.length ? `${JSON.stringify(path.slice(0, length))}…` : JSON.stringify(path);
}
