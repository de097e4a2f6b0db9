import { describe, expect, it } from 'vitest';
import { hostBypass, requestBypass } from '../../../../../src/content-search/ngram-index/query/query-plan.ts';
import type { BarrierAnswer, HostVeto, ReaderIdentity } from '../../../../../src/core/ports/index.ts';
import { STATES } from '../safety/cases.ts';

const HERE: ReaderIdentity = {
  uid: 1,
  gid: 1,
  groups: [1, 2],
  readsAll: false,
  userNamespace: '1',
  mountNamespace: '1',
  view: '',
  policy: 'p',
};
const ANSWER: BarrierAnswer = {
  veto: null,
  state: 'COMPLETE',
  reason: null,
  guarantee: 'inotify',
  snapshot: { generation: 1, deltas: [] },
  overlay: { files: [], subtrees: [] },
  identity: HERE,
};
const VETOES: readonly HostVeto[] = ['NOT_ARMED', 'OVERFLOW', 'WATCHER_DOWN', 'ELIGIBILITY', 'POLICY', 'MOUNT', 'HARD_LINK', 'BACKLOG', 'NOT_COMPLETE'];
const byHost = (change: Partial<BarrierAnswer> = {}) => hostBypass({ ...ANSWER, ...change }, HERE, () => 'x');

describe('what a host allows', () => {
  it.each(STATES)(
    'is to leave files out by an index that is COMPLETE, and not by one that is %s',
    { tags: ['FR-LSI-SAFE-02.1', 'FR-LSI-SAFE-03', 'LSI-P3'] },
    (state) => {
      expect(byHost({ state })).toBe(state === 'COMPLETE' ? undefined : 'VETO');
    },
  );

  it.each(VETOES)('is nothing with the veto %s, whatever the state is', { tags: ['FR-LSI-SAFE-02.4'] }, (veto) => {
    for (const state of STATES) expect(byHost({ veto, state })).toBe('VETO');
  });
});

describe('the index of a tree', () => {
  const indexed = { hidden: false, noIgnore: false };
  const search = { root: { startKind: 'directory' }, query: { follow: false, hidden: false, noIgnore: false }, backend: { id: 'rg@1' } } as const;
  const asked = (query: object, id = 'rg@1') =>
    requestBypass({ ...search, query: { ...search.query, ...query }, backend: { id } }, { indexed, backendId: 'rg@1' });

  it('serves requests of its own key, and no others', { tags: ['FR-LSI-SAFE-02.2'] }, () => {
    expect(asked({})).toBeUndefined();
    for (const other of [{ hidden: true }, { noIgnore: true }, { follow: true }]) expect(asked(other)).toBe('OPTIONS');
    expect(asked({}, 'rg@2')).toBe('BACKEND');
  });
});
