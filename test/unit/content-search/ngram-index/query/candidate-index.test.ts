import { describe, expect, it } from 'vitest';
import { compileGlobs } from '../../../../../src/content-search/enumerate/globs.ts';
import { createCandidateIndex, type IndexQuery } from '../../../../../src/content-search/ngram-index/query/candidate-index.ts';
import type { Hasher } from '../../../../../src/content-search/ngram-index/tokenize/hash.ts';
import { judgeRequest } from '../../../../../src/content-search/search/request.ts';
import { INDEX_STATES } from '../../../../../src/contracts/index.ts';
import type { BarrierAnswer, BarrierClient, IndexFiles, SearchBackend, SearchTree } from '../../../../../src/core/ports/index.ts';

const BACKEND: SearchBackend = {
  ...{ kind: 'rg', id: 'rg@15.0.0', folding: 'ASCII', fuzzy: false, fileList: 'ARGV_CHUNKED' },
  start: () => {
    throw new Error('nothing is searched here');
  },
};
const TREE: SearchTree = { list: () => [], readSmall: () => ({ refused: 'ENOENT' }), resolve: () => ({ refused: 'ENOENT' }) };
const INDEXED = { root: '/srv', hidden: false, noIgnore: false, denied: [], allowedRoots: ['/srv'], globalIgnore: null, ngramK: 3, maxTokenizedBytes: 1024 };
const HASHER: Hasher = { hash64: () => 0n, hash32: () => 0 } as unknown as Hasher;

/** What a search is told where the host and the files of the index are like this. */
function asked(
  request: Record<string, unknown>,
  parts: { readonly barrier?: BarrierClient['barrier']; readonly current?: IndexFiles['current']; readonly stats?: boolean },
) {
  const query = judgeRequest({ pattern: 'needle', ...request }, { timeoutMs: 20_000, maxResults: 200 });
  const globs = compileGlobs([]);
  if (!query.ok || !globs.ok) throw new Error('the request is none');
  const host = { barrier: parts.barrier ?? (async () => undefined), status: async () => undefined, reportCorrupt: () => undefined, close: () => undefined };
  const files = { current: parts.current ?? (() => undefined) } as unknown as IndexFiles;
  const index = createCandidateIndex({
    indexes: [
      {
        ...{ indexed: INDEXED, keyHash: Buffer.alloc(32), backendId: BACKEND.id, host, files },
        folding: { strategy: 'ASCII', provenBeyondAscii: false },
        storage: { mode: 'sqlite', fallback: null },
      },
    ],
    ...{ tree: TREE, stats: { stat: () => ({ refused: 'ENOENT' }) }, hasher: HASHER, viewOf: () => '', now: () => 0 },
    identity: { uid: 0, gid: 0, groups: [], readsAll: true, userNamespace: '1', mountNamespace: '1' },
    budget: { fraction: 0.25, maxMs: 2_000, maxFiles: 50_000 },
  });
  const search: IndexQuery = {
    ...{ root: { directory: '/srv', start: '', startKind: 'directory' }, query: query.value, globs: globs.globs, backend: BACKEND },
    ...{ walk: () => ({ warnings: [], next: () => [] }), countsFiles: parts.stats ?? false },
  };
  return index.ask(search);
}

const never = (): Promise<BarrierAnswer | undefined> => new Promise(() => undefined);

describe('a search that asks for candidates', () => {
  it.each([
    ['OPTIONS', { follow: true }],
    ['OPTIONS', { hidden: true }],
    ['FUZZY', { fuzzy: 1 }],
    ['TOO_SHORT', { pattern: 'ab' }],
  ])('does not wait for a host where the request alone says %s', async (bypass, request) => {
    let times = 0;
    const barrier = (): Promise<BarrierAnswer | undefined> => {
      times += 1;
      return never();
    };
    expect(await asked(request, { barrier })).toMatchObject({ facts: { bypass } });
    // The host goes easy on those who search, whether it can serve them or not.
    expect(times).toBe(1);
  });

  it('goes without the index in every state but COMPLETE, and where the host has a veto', { tags: ['FR-LSI-IDX-05'] }, async () => {
    const reader = { uid: 0, gid: 0, groups: [], readsAll: true, userNamespace: '1', mountNamespace: '1', policy: '', view: '' };
    const said = (state: BarrierAnswer['state'], veto: BarrierAnswer['veto'] = null): BarrierAnswer => ({
      ...{ veto, state, reason: null, guarantee: 'inotify', snapshot: { generation: 1, deltas: [] }, overlay: { files: [], subtrees: [] }, identity: reader },
    });
    const bypassOf = async (answer: BarrierAnswer) => (await asked({}, { barrier: async () => answer })).facts.bypass;
    for (const state of INDEX_STATES.filter((one) => one !== 'COMPLETE')) expect([state, await bypassOf(said(state))]).toEqual([state, 'VETO']);
    expect(await bypassOf(said('COMPLETE', 'OVERFLOW'))).toBe('VETO');
    // There the rights of the two are compared, which differ in their policy.
    expect(await bypassOf(said('COMPLETE'))).toBe('OTHER_READER');
  });

  it('asks how the index is for the stats of such a search, and says which request it was', async () => {
    expect(await asked({ follow: true }, { stats: true })).toMatchObject({ facts: { bypass: 'OPTIONS', state: 'UNCERTAIN' } });
  });

  it.each([
    ['refused', Object.assign(new Error('CURRENT cannot be read'), { code: 'EACCES' })],
    ['none of ours', Object.assign(new Error('the directory is not for this user alone'), { code: 'STORAGE_UNAVAILABLE' })],
  ])('goes without the index where its files are %s', async (_, error) => {
    const current = (): never => {
      throw error;
    };
    expect(await asked({}, { current })).toMatchObject({ facts: { bypass: 'NO_HOST' } });
  });
});
