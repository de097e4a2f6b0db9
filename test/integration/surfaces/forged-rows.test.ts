import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inlineEd25519 } from '../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../src/adapters/crypto/node-crypto.ts';
import { generationKey, rowKey } from '../../../src/adapters/redis/keys.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { failure, success } from '../../../src/core/outcome.ts';
import { createResultSigner, generateKey, signingKey } from '../../../src/lease/index.ts';
import { lookAgain } from '../../support/look-again.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { manifestOf } from '../../support/rig.ts';
import { type ForgedSite, startForgedSite, type Word, writeRow } from './forged-rows-site.ts';

/** Every reading path against every forgery: what is said is what the journal or a signed result says, else INVALID_RESULT. */

let forged: ForgedSite;
beforeAll(async () => {
  forged = await startForgedSite();
});
afterAll(() => forged[Symbol.asyncDispose]());

/** A task that has really ended, and the result that was recorded for it. */
interface Subject {
  readonly manifest: TaskManifest;
  readonly result: string;
}

/** How each subject really ended. The journal remembers the move; only Redis knew of the other two. */
const TRUTH = { failed: 'FAILURE EXECUTION_FAILED', moved: 'SUCCESS', searched: 'SUCCESS' } as const;
type SubjectName = keyof typeof TRUTH;

async function subject(name: SubjectName): Promise<Subject> {
  const { site } = forged;
  const at = (file: string): string => path.join(site.rig.base, file);
  const one = `${name}-${Math.random()}`;
  const search = manifestOf('SEARCH_FILES', '', undefined, { inputs: { query: one, target_scope: 'base', max_results: 5 } });
  const manifest = name === 'searched' ? search : manifestOf('FILE_MOVE', name === 'moved' ? site.file(one) : at(`${one}-absent`), at(`${one}.to`));
  return { manifest, result: await forged.run(manifest) };
}

const sign = (manifest: TaskManifest, outcome: Parameters<ForgedSite['site']['rig']['sign']>[1]): Promise<string> => forged.site.rig.sign(manifest, outcome);
const lie = ({ manifest }: Subject) => success({ task_id: manifest.task_id, capability_id: manifest.capability_id, result_summary: {} });
const withSignature = (result: string, signature: string): string => JSON.stringify({ ...(JSON.parse(result) as object), signature });
const signatureOf = (result: string): string => (JSON.parse(result) as { signature: string }).signature;

interface Forgery {
  readonly fields: (subject: Subject) => Promise<Record<string, string>> | Record<string, string>;
  /** Whether the signed result is still in the row: then it is what is said, journal or not. */
  readonly intact?: boolean;
  /** What is said of a subject where that is neither. */
  readonly says?: Partial<Record<SubjectName, Word>>;
}

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'an empty signature': {
    fields: async (one) => ({ state: 'success', result: withSignature(await sign(one.manifest, lie(one)), '') }),
  },
  'no result at all': { fields: () => ({ state: 'success' }) },
  'the signature of the real result under other words': {
    fields: async (one) => ({ state: 'success', result: withSignature(await sign(one.manifest, success({ lie: true })), signatureOf(one.result)) }),
  },
  'the result of another task': {
    fields: async (one) => ({ state: 'success', result: await sign({ ...one.manifest, task_id: 'another' }, lie(one)) }),
  },
  'the result of another capability': {
    fields: async (one) => ({
      state: 'success',
      result: (await sign({ ...one.manifest, capability_id: 'FILE_DELETE' }, lie(one))).replaceAll('FILE_DELETE', 'x'),
    }),
  },
  'the key of somebody else': {
    fields: async (one) => {
      const stranger = createResultSigner(signingKey(generateKey({ use: 'result', capabilities: ['*'] })), inlineEd25519(nodeEd25519()));
      return { state: 'success', result: await stranger.sign(one.manifest, manifestSha256(one.manifest), lie(one)) };
    },
  },
  'truncated JSON': { fields: ({ result }) => ({ state: 'success', result: result.slice(0, -20) }) },
  'no JSON': { fields: () => ({ state: 'failure', code: 'EXECUTION_FAILED', result: 'EXECUTION_FAILED' }) },
  'a refusal of the same task, signed for a job without a lease': {
    fields: async ({ manifest }) => ({
      state: 'failure',
      code: 'INVALID_LEASE',
      result: await sign(manifest, failure('INVALID_LEASE', 'the job carries no lease')),
    }),
  },
  'a refusal of the id under another manifest': {
    fields: async ({ manifest }) => {
      const other = { ...manifest, constraints: { scope: '/elsewhere' } };
      return { state: 'failure', sha: manifestSha256(other), result: await sign(other, failure('INVALID_LEASE', 'the job carries no lease')) };
    },
  },
  // Beside the job of a success it is seen through; beside a failure it is one as good as the other.
  'an older failure of the same task, really signed': {
    fields: async ({ manifest }) => ({ state: 'failure', code: 'EXECUTION_FAILED', result: await sign(manifest, failure('EXECUTION_FAILED', 'older')) }),
    says: { failed: TRUTH.failed },
  },
  'another manifest, and no result': { fields: () => ({ state: 'success', sha: 'f'.repeat(64) }) },
  'a success turned into a failure, or a failure into a success': {
    fields: ({ result }) => ({ state: result.includes('"SUCCESS"') ? 'failure' : 'success', code: 'EXECUTION_FAILED', result }),
    intact: true,
  },
  'a state that does not exist': { fields: ({ result }) => ({ state: 'done', result }), intact: true },
  'numbers that are none': { fields: ({ result }) => ({ state: 'success', result, epoch: 'x', takeovers: '-3', exp: '1e999', updated: 'now' }), intact: true },
  'another hash beside the real result': { fields: ({ result }) => ({ state: 'success', sha: 'f'.repeat(64), result }), intact: true },
};

const expected = (name: SubjectName, { intact = false, says = {} }: Pick<Forgery, 'intact' | 'says'>): Word =>
  says[name] ?? (intact || name === 'moved' ? TRUTH[name] : 'INVALID_RESULT');

describe.each(Object.keys(TRUTH) as SubjectName[])('a task that %s, and a forged row', (name) => {
  let one: Subject;
  beforeAll(async () => {
    one = await subject(name);
    expect(await forged.readers['GET /v1/tasks/:id']?.(one.manifest.task_id)).toBe(TRUTH[name]);
  });

  it.each(Object.entries(FORGERIES))('with %s: every reader says what is proved', async (_, forgery) => {
    await writeRow(forged.redis, one.manifest, await forgery.fields(one));
    const said: Record<string, Word> = {};
    for (const [reader, read] of Object.entries(forged.readers)) said[reader] = await read(one.manifest.task_id);
    expect(said).toEqual(Object.fromEntries(Object.keys(forged.readers).map((reader) => [reader, expected(name, forgery)])));
  });

  it('under a key of another type: every reader says what is proved', async () => {
    await forged.redis.del(rowKey(one.manifest.task_id));
    await forged.redis.set(rowKey(one.manifest.task_id), one.result);
    const said: Record<string, Word> = {};
    for (const [reader, read] of Object.entries(forged.readers)) said[reader] = await read(one.manifest.task_id);
    expect(said).toEqual(Object.fromEntries(Object.keys(forged.readers).map((reader) => [reader, expected(name, {})])));
  });

  // The ways of pushing share what is behind them: all of them where the lie is worst, else one after the other.
  it.each(Object.entries(FORGERIES).map(([what, forgery], n) => ({ what, forgery, n })))(
    'with $what: no push is suppressed, and each ends with the truth',
    async ({ forgery, n }) => {
      const lease = await forged.site.rig.lease(one.manifest);
      const pushes = Object.entries(forged.pushes);
      for (const [push, run] of name === 'failed' ? pushes : pushes.slice(n % pushes.length).slice(0, 1)) {
        await writeRow(forged.redis, one.manifest, await forgery.fields(one));
        expect([push, await run(one.manifest, lease)]).toEqual([push, TRUTH[name]]);
      }
    },
  );

  it('under a key of another type: no push is suppressed, and each ends with the truth', async () => {
    const lease = await forged.site.rig.lease(one.manifest);
    for (const [push, run] of Object.entries(forged.pushes)) {
      await forged.redis.del(rowKey(one.manifest.task_id));
      await forged.redis.set(rowKey(one.manifest.task_id), 'text');
      expect([push, await run(one.manifest, lease)]).toEqual([push, TRUTH[name]]);
    }
  });
});

describe('a forged row', () => {
  it('keeps nobody from a retry, and tells nobody that there is something to undo', async () => {
    const one = await subject('failed');
    const { task_id: id } = one.manifest;
    await writeRow(forged.redis, one.manifest, { state: 'success', result: withSignature(await sign(one.manifest, lie(one)), '') });
    expect((await forged.site.ask(`/v1/tasks/${id}/undo`, { method: 'POST' })).body.code).toBe('INVALID_RESULT');
    expect((await forged.site.ask(`/v1/tasks/${id}/cancel`, { method: 'POST' })).body.code).toBe('INVALID_RESULT');
    const retried = await forged.site.ask(`/v1/tasks/${id}/retry`, { method: 'POST', headers: { prefer: 'wait=60' } });
    expect(retried).toMatchObject({ status: 200, body: { state: 'failure', result: { error: { error_code: 'EXECUTION_FAILED' } } } });
  });

  it('lets nobody in with an expired lease', async () => {
    const one = await subject('failed');
    const lease = await forged.site.rig.lease(one.manifest, { iat: 1000, exp: 2000 });
    await writeRow(forged.redis, one.manifest, { state: 'success', result: withSignature(await sign(one.manifest, lie(one)), '') });
    const reply = await forged.site.ask('/v1/tasks', { method: 'POST', body: { manifest: one.manifest, lease } });
    expect(reply).toMatchObject({ status: 403, body: { code: 'LEASE_EXPIRED' } });
  });

  it('is not believed under the key of a refused job', async () => {
    const manifest = forged.site.manifest(`refused-${Math.random()}`);
    await forged.site.rig.push(manifest, { lease: await forged.site.rig.lease(forged.site.manifest('other')) });
    const id = manifest.task_id;
    const settled = async (): Promise<unknown> => (await forged.site.rig.enqueue.jobState(id))?.state === 'failed' || undefined;
    await lookAgain({ look: settled, timeoutMs: PATIENCE_MS, failure: () => 'it does not fail' });
    const read = async (): Promise<unknown> => forged.readers['GET /v1/tasks/:id']?.(id);
    expect(await read()).toBe('FAILURE INVALID_LEASE');
    const key = rowKey(id).replace(`task:${id}`, `refused:file:t_${id}`);
    for (const text of ['', '{}', await sign(manifest, success({ lie: true })), withSignature((await forged.redis.get(key)) ?? '', '')]) {
      const before = (await forged.redis.getset(key, text)) ?? '';
      expect([text, await read()]).toEqual([text, text === '' ? 'no outcome: failure' : 'INVALID_RESULT']);
      await forged.redis.set(key, before);
    }
  });

  it('of a task that only the ledger remembers is not listed', async () => {
    const { redis, site } = forged;
    const [ghost, genuine, failed] = ['ghost', 'genuine', 'failed'].map((word) => manifestOf('FILE_COPY', '/a', '/b', { task_id: `${word}-${Math.random()}` }));
    if (!ghost || !genuine || !failed) throw new Error('three were made');
    const outcome = success({ capability_id: 'FILE_COPY', result_summary: { source: '/ledger/a', destination: '/ledger/b' } });
    await writeRow(redis, ghost, { state: 'success', result: withSignature(await sign(ghost, outcome), '') });
    await writeRow(redis, genuine, { state: 'success', result: await sign(genuine, outcome) });
    await writeRow(redis, failed, { state: 'failure', result: await sign(failed, failure('EXECUTION_FAILED', 'no')) });
    await redis.set(generationKey('00'), `again-${Math.random()}`);
    const listed = async (): Promise<string[]> =>
      ((await site.ask('/v1/tasks?path=/ledger')).body.tasks as { task_id: string }[]).map(({ task_id }) => task_id);
    await lookAgain({
      look: async () => (await listed()).includes(genuine.task_id) || undefined,
      timeoutMs: PATIENCE_MS,
      failure: () => 'the genuine one is not listed',
    });
    expect(await listed()).toEqual([genuine.task_id]);
    // A FAILURE does not name its capability: the signature does.
    const { tasks } = (await site.ask('/v1/tasks?state=failure&capability=FILE_COPY')).body as { tasks: { task_id: string }[] };
    expect(tasks.map(({ task_id }) => task_id)).toContain(failed.task_id);
  });
});
