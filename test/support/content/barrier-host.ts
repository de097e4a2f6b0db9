import type { BarrierHost } from '../../../src/content-search/ngram-index/serving/barrier-server.ts';

/** A host of a COMPLETE index in which nothing happens, but for what `changes` say. */
export function barrierHost(changes: Partial<BarrierHost>, files: () => readonly string[] = () => []): BarrierHost {
  const published = { state: 'COMPLETE', reason: null, guarantee: 'inotify', snapshot: { generation: 1, deltas: [] }, lifts: null } as const;
  return {
    watch: {
      look: () => undefined,
      veto: null,
      published: { ...published, covered: [], coveredThrough: 0 },
      version: 1,
      overlay: () => ({ files: files(), subtrees: [] }),
    },
    identity: () => ({ uid: 0, gid: 0, groups: [], readsAll: true, userNamespace: '1', mountNamespace: '1', view: '', policy: '' }),
    status: () => '',
    asked: () => undefined,
    corrupt: () => undefined,
    ...changes,
  };
}
