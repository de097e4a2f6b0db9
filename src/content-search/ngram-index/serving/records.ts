import type { ContentIndexStore, RecordsAnswer } from '../../../core/ports/index.ts';
import type { IndexSettings } from '../../io/settings.ts';
import { createMemoryContentIndex } from '../storage/memory-store.ts';
import { removeRecords } from '../storage/sqlite-open.ts';
import { openContentIndexStore } from '../storage/sqlite-store.ts';

export interface RecordsSettings extends Pick<IndexSettings, 'cacheRoot' | 'storageMode'> {
  readonly lockTimeoutMs: number;
}

/**
 * The records of the indexes of a cache root, for their hosts. Damaged ones, or those of a newer version, are thrown away and
 * begun anew (FR-LSI-BG-52): hosts write down again what they know. Records of indexes in memory die with the host, and so the
 * next one finds none of what it left.
 */
export function openIndexRecords({ cacheRoot, storageMode, lockTimeoutMs }: RecordsSettings): ContentIndexStore {
  if (storageMode === 'memory' || cacheRoot === null) return createMemoryContentIndex();
  const open = (): RecordsAnswer<ContentIndexStore> => openContentIndexStore({ directory: cacheRoot, lockTimeoutMs });
  let store: ContentIndexStore | undefined;

  function close(): void {
    try {
      store?.close();
    } catch {
      // What is damaged may not even be closed in order.
    }
    store = undefined;
  }

  function opened(): RecordsAnswer<ContentIndexStore> {
    if (store !== undefined) return { ok: true, value: store };
    let answer = open();
    if (!answer.ok && answer.refusal === 'DAMAGED') {
      removeRecords(cacheRoot ?? '');
      answer = open();
    }
    if (answer.ok) store = answer.value;
    return answer;
  }

  /** What an open database refuses may be well with one that is opened afresh. */
  function ask<T>(work: (store: ContentIndexStore) => RecordsAnswer<T>): RecordsAnswer<T> {
    const first = opened();
    if (!first.ok) return first;
    const answer = work(first.value);
    if (answer.ok || (answer.refusal !== 'DAMAGED' && answer.refusal !== 'UNAVAILABLE')) return answer;
    close();
    if (answer.refusal === 'DAMAGED') removeRecords(cacheRoot ?? '');
    const again = opened();
    return again.ok ? work(again.value) : again;
  }

  return { read: (work) => ask((records) => records.read(work)), write: (work) => ask((records) => records.write(work)), close };
}
