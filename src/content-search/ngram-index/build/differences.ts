import type { Candidate, Enumeration } from '../../search/types.ts';
import type { SegmentDocument } from '../segment/format.ts';
import { comparePaths } from '../segment/path-order.ts';
import { paired } from './paired.ts';
import { bytesOf } from './tree-paths.ts';

/** A file that an index does not have as it is. */
export type Difference =
  /** `known`: the index has a document of this path. */
  { readonly kind: 'read'; readonly candidate: Candidate; readonly known: boolean } | { readonly kind: 'gone'; readonly path: Buffer };

/** Files that are taken from the walk at a time. */
const PIECE = 64;

/** All files of a walk. */
export function* filesOf(walk: Enumeration): Generator<Candidate> {
  for (let piece = walk.next(PIECE); piece.length > 0; piece = walk.next(PIECE)) yield* piece;
}

/**
 * Files to read and files that are gone, in key order. The walk and the documents of the index are read side by side, so
 * neither is held in memory.
 *
 * @param isSame whether the file still is what the document was made of
 */
export function* differences(
  files: Iterable<Candidate>,
  documents: Iterable<SegmentDocument>,
  isSame: (candidate: Candidate, document: SegmentDocument) => boolean,
): Generator<Difference> {
  const named = located(files);
  for (const [file, document] of paired(named, documents, (a, b) => comparePaths(a.path, b.path))) {
    if (file === undefined) yield { kind: 'gone', path: document.path };
    else if (document === undefined || !isSame(file.candidate, document)) {
      yield { kind: 'read', candidate: file.candidate, known: document !== undefined };
    }
  }
}

function* located(files: Iterable<Candidate>): Generator<{ readonly candidate: Candidate; readonly path: Buffer }> {
  for (const candidate of files) yield { candidate, path: bytesOf(candidate) };
}
