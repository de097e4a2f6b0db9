import type { DirtyEntry, IndexMeta, IndexSafety } from '../../src/core/ports/index.ts';

export const T0 = Date.UTC(2026, 0, 1);

export function metaFor(name: string, changes: Partial<IndexMeta> = {}): IndexMeta {
  return {
    keyHash: name,
    key: {
      rootPath: `/srv/${name}`,
      hidden: false,
      follow: true,
      noIgnore: false,
      backendId: 'ugrep@3.11.2',
      backendCapabilities: 'ARGV_CHUNKED fuzzy',
      tokenizerId: 'ngram3-v1',
      casefoldStrategy: 'ASCII',
      unicodeNormalization: 'NFC',
      schemaVersion: 1,
      implementationVersion: '0.1.0',
    },
    bloom: { ngram: 3, mBits: 5_025_332, hashes: 7, seed: 0x9e3779b97f4a7c15n, targetFpRate: 0.01, basisNgrams: 524_288 },
    maxTokenizedBytes: 1_048_576,
    createdAtMs: T0,
    updatedAtMs: T0,
    accessedAtMs: T0,
    sizeBytes: 0,
    generation: null,
    enumerateErrors: 0,
    ...changes,
  };
}

export const ABSENT: IndexSafety = { state: 'ABSENT', reason: null, causes: [], mark: 0, building: null, watcherLost: false, epoch: 0, disabledUntilMs: null };
export const COMPLETE: IndexSafety = { ...ABSENT, state: 'COMPLETE', mark: 4, epoch: 2 };

export function dirtyAt(path: string | Uint8Array, queuedAtMs: number, seq: number, kind: DirtyEntry['kind'] = 'FILE'): DirtyEntry {
  const raw = typeof path === 'string' ? Buffer.from(path) : path;
  return { path: raw, orderKey: typeof path === 'string' ? Buffer.from(path.normalize('NFC')) : raw, kind, queuedAtMs, seq };
}
