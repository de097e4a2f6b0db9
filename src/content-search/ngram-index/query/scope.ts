import type { BytePath } from '../../../core/ports/index.ts';
import { pathBytes } from '../segment/path-order.ts';
import type { SegmentReader } from '../segment/reader.ts';
import { type Guarded, guarded } from './refusal.ts';
import { isLive, type Snapshot } from './snapshot.ts';

/** What a request asks to be searched, relative to the index root; `''` is the root. */
export interface SearchScope {
  readonly path: BytePath;
  readonly kind: 'file' | 'directory';
}

/** Documents from `first` on and before `end`. */
export interface IdRange {
  readonly first: number;
  readonly end: number;
}

/**
 * The documents among which all those in scope are. Beneath a directory the keys follow each other, but between them may
 * lie those of another directory with an equal key: so `isAt` is to be asked of each.
 */
export function rangeOf(reader: SegmentReader, { path, kind }: SearchScope): IdRange {
  if (kind === 'file') {
    const [id = -1] = reader.find([path]);
    return id < 0 ? { first: 0, end: 0 } : { first: id, end: id + 1 };
  }
  if (path === '') return { first: 0, end: reader.documentCount };
  // `0` is the character behind `/`, and nothing composes with it.
  return { first: reader.firstNotBefore(pathBytes(`${path}/`)), end: reader.firstNotBefore(pathBytes(`${path}0`)) };
}

/** Whether a document is the file, or lies beneath the directory; by bytes. */
export function isAt({ path, kind }: SearchScope): (document: BytePath) => boolean {
  if (kind === 'file') return (document) => document === path;
  if (path === '') return () => true;
  const prefix = `${path}/`;
  return (document) => document.startsWith(prefix);
}

/** Whether the catalogue has the file, or anything beneath the directory: what is asked for may lie where an index does not look. */
export function isInCatalog(snapshot: Snapshot, scope: SearchScope): Guarded<boolean> {
  const matches = isAt(scope);
  return guarded(() =>
    snapshot.segments.some((segment) => {
      const { first, end } = rangeOf(segment.reader, scope);
      for (let id = first; id < end; id += 1) {
        if (isLive(segment, id) && segment.reader.paths(Uint32Array.of(id)).some(matches)) return true;
      }
      return false;
    }),
  );
}
