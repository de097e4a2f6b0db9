import { compareCodePoints } from '../../../core/code-points.ts';
import type { FilesScope, TreeSource, TreeVisitor } from '../../../core/ports/index.ts';
import { type Collector, createCollector } from '../collector.ts';
import { snippetOf } from '../snippet.ts';
import type { Scan } from '../sources.ts';
import { errorOf } from './errors.ts';
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
