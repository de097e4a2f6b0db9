import { readFileSync, realpathSync } from 'node:fs';
import type { SearchedTrees } from '../ngram-index/serving/places.ts';
import { DEFAULT_DENIED_PATTERNS } from '../search/sandbox.ts';
import type { ContentSettings } from './settings.ts';

/** What a tool searches, as it really lies on this host; host and searches of an index must see the same. */
export function searchedTrees(
  settings: Pick<ContentSettings, 'allowedRoots' | 'indexRoots' | 'includeDefaultDenies' | 'deniedPatterns' | 'globalIgnoreFile'>,
): SearchedTrees {
  const allowedRoots = settings.allowedRoots.flatMap(realRoot);
  const named = settings.indexRoots.flatMap(realRoot);
  return {
    allowedRoots,
    indexRoots: named,
    // Without any, relative paths of requests start from the first allowed root.
    roots: named.length > 0 ? named : allowedRoots.slice(0, 1),
    deniedPatterns: [...(settings.includeDefaultDenies ? DEFAULT_DENIED_PATTERNS : []), ...settings.deniedPatterns],
    globalIgnore: globalIgnore(settings.globalIgnoreFile),
  };
}

/** A root that is away has nothing to search; it is there again when the process starts anew. */
function realRoot(root: string): readonly string[] {
  try {
    return [realpathSync(root)];
  } catch {
    return [];
  }
}

/** Most people have none, and one that cannot be read says nothing. */
function globalIgnore(file: string): string | undefined {
  if (file === '') return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
