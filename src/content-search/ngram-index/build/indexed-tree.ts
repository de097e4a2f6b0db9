import { canonicalJson } from '../../../core/canonical-json.ts';
import { sha256Hex } from '../../../core/hash.ts';
import type { SearchTree } from '../../../core/ports/index.ts';
import { compileDenied } from '../../enumerate/denied.ts';
import { enumerate } from '../../enumerate/enumerate.ts';
import { compileGlobs } from '../../enumerate/globs.ts';
import type { Enumeration } from '../../search/types.ts';

/** The tree of an index, the options of its key, and how files are read: plain values, which can be sent to threads. */
export interface IndexedTree {
  /** The index root, canonical and absolute; also the order root of the searches that it serves. */
  readonly root: string;
  readonly hidden: boolean;
  readonly noIgnore: boolean;
  /** All deny patterns, the default ones included. */
  readonly denied: readonly string[];
  readonly allowedRoots: readonly string[];
  /** Text of the user's global ignore file. */
  readonly globalIgnore: string | null;
  /** Code points of an n-gram. */
  readonly ngramK: number;
  readonly maxTokenizedBytes: number;
}

/**
 * The eligible files of an indexed tree, in key order: the same walk that searches take (FR-LSI-ELIG-02). Links are not
 * followed; there are no globs, which are filters of a request.
 *
 * @param tree the file system, or a part of it (`only`)
 */
export function walkTree(tree: SearchTree, indexed: IndexedTree, stop?: () => boolean): Enumeration {
  const globs = compileGlobs([]);
  if (!globs.ok) throw new RangeError(globs.message);
  const { root, hidden, noIgnore, allowedRoots, globalIgnore } = indexed;
  return enumerate(tree, {
    orderRoot: root,
    start: '',
    hidden,
    follow: false,
    noIgnore,
    globs: globs.globs,
    denied: compileDenied(indexed.denied),
    allowedRoots,
    globalIgnore: globalIgnore ?? undefined,
    ...(stop === undefined ? {} : { stop }),
  });
}

/**
 * The settings that decide which files are in the index and how they were read. Host and search must agree on them: a search
 * that denies or ignores other files would get another answer with the index.
 */
export function policyOf(indexed: IndexedTree): string {
  return sha256Hex(canonicalJson({ ...indexed }));
}
