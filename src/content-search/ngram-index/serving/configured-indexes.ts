import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IndexKey, SearchBackend } from '../../../core/ports/index.ts';
import type { ContentSettings, IndexSettings } from '../../io/settings.ts';
import { leadsSomewhere, realPath } from '../../io/tree/real-path.ts';
import { DEFAULT_DENIED_PATTERNS } from '../../search/sandbox.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import { type IndexSpec, keyHash } from '../safety/key.ts';
import { FORMAT_VERSION as INDEX_FORMAT } from '../segment/format.ts';
import { bloomParams } from '../tokenize/bloom.ts';
import { tokenizerId } from '../tokenize/tokenizer.ts';

/** What a tool searches, all paths canonical. */
export interface SearchedTrees {
  /** Directories that get an index each, if they are there. */
  readonly roots: readonly string[];
  /** Those of them that the settings name. */
  readonly indexRoots: readonly string[];
  /** All of the settings in their order: one that is away keeps its place, so that no other one is taken for it. */
  readonly allowedRoots: readonly string[];
  /** Default ones included. */
  readonly deniedPatterns: readonly string[];
  readonly globalIgnore: string | undefined;
}

/** The index of one root. */
export interface ConfiguredIndex {
  readonly indexed: IndexedTree;
  readonly keyHash: string;
  readonly spec: IndexSpec;
  /** Directory of this index alone. */
  readonly directory: string;
}

/** The one name of an index that is short enough for a directory and long enough not to be met twice. */
const DIRECTORY_DIGITS = 16;

/**
 * Which indexes serve these trees with this backend, and where they lie. Host and searches ask the same function with the same
 * settings: so they meet, or not at all.
 */
export function configuredIndexes(settings: IndexSettings, trees: SearchedTrees, backend: SearchBackend): readonly ConfiguredIndex[] {
  const { mode, cacheRoot } = settings;
  // A backend whose folding nobody understood is trusted with no exclusion (FR-LSI-TOK-04).
  if (mode === 'off' || cacheRoot === null || backend.folding === 'UNKNOWN') return [];
  return trees.roots.map((root) => configuredIndex(root, settings, trees, backend, cacheRoot));
}

function configuredIndex(root: string, settings: IndexSettings, trees: SearchedTrees, backend: SearchBackend, cacheRoot: string): ConfiguredIndex {
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
  const spec: IndexSpec = { key: keyOf(indexed, backend), bloom: bloomOf(settings), maxTokenizedBytes };
  const hash = keyHash(spec.key);
  return { indexed, keyHash: hash, spec, directory: path.join(cacheRoot, hash.slice(0, DIRECTORY_DIGITS)) };
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

function bloomOf({ ngramK, maxTokenizedBytes, bloomTargetFpRate }: IndexSettings): IndexSpec['bloom'] {
  const { mBits, kHashes, hashSeed, basisNgrams, targetFpRate } = bloomParams(maxTokenizedBytes, bloomTargetFpRate);
  return { ngram: ngramK, mBits, hashes: kHashes, seed: hashSeed, targetFpRate, basisNgrams };
}

/** What a tool searches, as it really lies on this host; host and searches of an index must see the same. */
export function searchedTrees(
  settings: Pick<ContentSettings, 'allowedRoots' | 'indexRoots' | 'includeDefaultDenies' | 'deniedPatterns' | 'globalIgnoreFile'>,
): SearchedTrees {
  const { allowedRoots, indexRoots, includeDefaultDenies, deniedPatterns, globalIgnoreFile } = settings;
  // Without any, relative paths of requests start from the first allowed root.
  const indexed = indexRoots.length > 0 ? indexRoots : allowedRoots.slice(0, 1);
  return {
    allowedRoots: allowedRoots.map(realPath),
    indexRoots: indexRoots.filter(leadsSomewhere).map(realPath),
    roots: indexed.filter(leadsSomewhere).map(realPath),
    deniedPatterns: [...(includeDefaultDenies ? DEFAULT_DENIED_PATTERNS : []), ...deniedPatterns],
    globalIgnore: globalIgnore(globalIgnoreFile),
  };
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
