import path from 'node:path';
import type { IndexKey, SearchBackend } from '../../../core/ports/index.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import { keyHash, type Wanted } from '../safety/key.ts';
import { FORMAT_VERSION as INDEX_FORMAT } from '../segment/format.ts';
import { bloomParams } from '../tokenize/bloom.ts';
import { tokenizerId } from '../tokenize/tokenizer.ts';

/** What decides which indexes there are, and where. */
export interface IndexPlaceSettings {
  readonly mode: 'off' | 'auto' | 'on';
  /** Where all indexes lie; null: there can be none. */
  readonly cacheRoot: string | null;
  readonly storageMode: 'memory' | 'sqlite' | 'none';
  readonly storageFallback: string | null;
  readonly ngramK: number;
  readonly maxTokenizedBytes: number;
  readonly bloomTargetFpRate: number;
}

/** What a tool searches, all paths canonical. */
export interface SearchedTrees {
  /** Index roots; not empty. */
  readonly roots: readonly string[];
  /** Those of them that the settings name. */
  readonly indexRoots: readonly string[];
  readonly allowedRoots: readonly string[];
  /** Default ones included. */
  readonly deniedPatterns: readonly string[];
  readonly globalIgnore: string | undefined;
}

/** The index of one root. */
export interface IndexPlace {
  readonly indexed: IndexedTree;
  readonly keyHash: string;
  readonly wanted: Wanted;
  /** Directory of this index alone. */
  readonly directory: string;
}

/** The one name of an index that is short enough for a directory and long enough not to be met twice. */
const DIRECTORY_DIGITS = 16;

/**
 * Which indexes serve these trees with this backend, and where they lie. Host and searches ask the same function with the same
 * settings: so they meet, or not at all.
 */
export function indexPlaces(settings: IndexPlaceSettings, trees: SearchedTrees, backend: SearchBackend): readonly IndexPlace[] {
  const { mode, cacheRoot } = settings;
  // A backend whose folding nobody understood is trusted with no exclusion (FR-LSI-TOK-04).
  if (mode === 'off' || cacheRoot === null || backend.folding === 'UNKNOWN') return [];
  return trees.roots.map((root) => placeOf(root, settings, trees, backend, cacheRoot));
}

function placeOf(root: string, settings: IndexPlaceSettings, trees: SearchedTrees, backend: SearchBackend, cacheRoot: string): IndexPlace {
  const { ngramK, maxTokenizedBytes } = settings;
  const indexed: IndexedTree = {
    root,
    hidden: false,
    noIgnore: false,
    denied: trees.deniedPatterns,
    allowedRoots: trees.allowedRoots,
    globalIgnore: trees.globalIgnore ?? null,
    ngramK,
    maxTokenizedBytes,
  };
  const wanted: Wanted = { key: keyOf(indexed, backend), bloom: bloomOf(settings), maxTokenizedBytes };
  const hash = keyHash(wanted.key);
  return { indexed, keyHash: hash, wanted, directory: path.join(cacheRoot, hash.slice(0, DIRECTORY_DIGITS)) };
}

function keyOf({ root, hidden, noIgnore, ngramK, maxTokenizedBytes }: IndexedTree, { id, folding, fileList, fuzzy }: SearchBackend): IndexKey {
  const casefoldStrategy = folding === 'UNICODE_SIMPLE' ? 'UNICODE_SIMPLE' : 'ASCII';
  return {
    rootPath: root,
    hidden,
    follow: false,
    noIgnore,
    backendId: id,
    backendCapabilities: `${fileList};folding=${folding};fuzzy=${fuzzy}`,
    tokenizerId: tokenizerId({ ngramK, maxTokenizedBytes }, casefoldStrategy, process.versions['unicode'] ?? ''),
    casefoldStrategy,
    unicodeNormalization: 'NFC',
    schemaVersion: INDEX_FORMAT,
    implementationVersion: '1',
  };
}

function bloomOf({ ngramK, maxTokenizedBytes, bloomTargetFpRate }: IndexPlaceSettings): Wanted['bloom'] {
  const { mBits, kHashes, hashSeed, basisNgrams, targetFpRate } = bloomParams(maxTokenizedBytes, bloomTargetFpRate);
  return { ngram: ngramK, mBits, hashes: kHashes, seed: hashSeed, targetFpRate, basisNgrams };
}
