import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../../../../src/content-search/ngram-index/safety/triggers.ts';
import { advance } from '../../../../../src/content-search/ngram-index/safety/writer.ts';
import { createMemoryContentIndex } from '../../../../../src/content-search/ngram-index/storage/memory-store.ts';
import type { ContentIndexStore, IndexSafety } from '../../../../../src/core/ports/index.ts';
import { ABSENT, COMPLETE, dirtyAt, metaFor, T0 } from '../../../../conformance/content-index-samples.ts';
import { RECORDS } from './cases.ts';

function storeWith(safety: IndexSafety): ContentIndexStore {
  const store = createMemoryContentIndex();
  store.write((records) => {
    records.create(metaFor('a'), safety);
    records.enqueue('a', [dirtyAt('f', T0, 1)]);
  });
  return store;
}

const look = (store: ContentIndexStore) =>
  store.read((records) => ({ safety: records.safety('a'), dirty: records.dirtyCount('a'), updated: records.meta('a')?.updatedAtMs }));
const overflow: Trigger = { kind: 'WATCHER_OVERFLOW' };

describe('the writer of a safety record', () => {
  it('writes the next record and tells what is to be done', { tags: ['FR-LSI-BG-13.3'] }, () => {
    const store = storeWith(COMPLETE);
    const told = advance(store, 'a', [overflow], T0 + 5);
    expect(told).toMatchObject({ ok: true, value: { before: COMPLETE, rows: ['LSI-ST-17'], actions: ['SCHEDULE_PASS'] } });
    const next = told.ok ? told.value.next : undefined;
    expect(next).toMatchObject({ state: 'UNCERTAIN', mark: 5 });
    expect(look(store)).toEqual({ ok: true, value: { safety: next, dirty: 1, updated: T0 + 5 } });
  });

  it('clears the dirty queue together with the record', () => {
    const store = storeWith(COMPLETE);
    expect(advance(store, 'a', [{ kind: 'INTEGRITY_FAILED' }], T0 + 5)).toMatchObject({
      ok: true,
      value: { actions: ['STOP_BUILD', 'QUARANTINE', 'SCHEDULE_BUILD'] },
    });
    expect(look(store)).toMatchObject({ value: { safety: { state: 'CORRUPT' }, dirty: 0 } });
  });

  it.each(['BUILDING', 'COMPLETE', 'UNCERTAIN', 'CORRUPT'] as const)('clears it also when an index that is %s is evicted', { tags: ['LSI-ST-23'] }, (state) => {
    const store = storeWith(RECORDS[state]);
    expect(advance(store, 'a', [{ kind: 'EVICTED' }], T0 + 5)).toMatchObject({ ok: true, value: { actions: ['STOP_BUILD', 'QUARANTINE'] } });
    expect(look(store)).toMatchObject({ value: { safety: { state: 'ABSENT' }, dirty: 0 } });
  });

  it('writes nothing when nothing changes', () => {
    const store = storeWith(COMPLETE);
    expect(advance(store, 'a', [{ kind: 'STAT_LEVEL_CHOSEN' }], T0 + 5)).toMatchObject({ ok: true, value: { actions: [] } });
    expect(look(store)).toEqual({ ok: true, value: { safety: COMPLETE, dirty: 1, updated: T0 } });
  });

  it('applies the same trigger twice to the same end', () => {
    const store = storeWith(ABSENT);
    advance(store, 'a', [{ kind: 'BUILD_STARTED' }], T0);
    advance(store, 'a', [{ kind: 'BUILD_COMPLETED', since: 1, hidingErrors: 0 }], T0);
    const once = look(store);
    expect(once).toMatchObject({ value: { safety: { state: 'COMPLETE', epoch: 1 } } });
    advance(store, 'a', [{ kind: 'BUILD_COMPLETED', since: 1, hidingErrors: 0 }], T0);
    expect(look(store)).toEqual(once);
  });

  it('begins with no index where there is no record, and says when the records cannot be written', () => {
    const store = createMemoryContentIndex();
    expect(advance(store, 'a', [overflow], T0)).toMatchObject({ ok: true, value: { before: ABSENT, next: ABSENT, actions: [] } });
    store.close();
    expect(advance(store, 'a', [overflow], T0)).toMatchObject({ ok: false, refusal: 'UNAVAILABLE' });
  });
});
