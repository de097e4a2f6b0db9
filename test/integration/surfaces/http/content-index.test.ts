import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IndexReceipt, IndexReport, Problem } from '../../../../src/contracts/index.ts';
import { createAuditReader } from '../../../../src/data-dir/audit-reader.ts';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { type IndexGround, indexGround, KEY, ROOT } from '../../../support/content/index-service.ts';
import { type Ask, type Site, startSite } from './routes-site.ts';

let site: Site;
let ground: IndexGround;
beforeAll(async () => {
  ground = await indexGround();
  site = await startSite({ kernel: false, contentIndex: ground.service });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await ground[Symbol.asyncDispose]();
});

describe('GET /v1/index', () => {
  it('answers the report of the contract, not to be kept, to readers and operators', async () => {
    for (const as of ['read', 'operate'] as const) {
      const { status, headers, body } = await site.ask('/v1/index', { as });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toContain('no-store');
      expect(IndexReport.parse(body)).toMatchObject({ mode: 'on', indexes: [{ root: ROOT, key_hash: KEY, state: 'COMPLETE', serving: true }] });
    }
  });

  it('says nothing to those who may only search: directories have names', async () => {
    expect(await site.ask('/v1/index', { as: 'search' })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await site.ask('/v1/index', { as: 'nobody' })).toMatchObject({ status: 401 });
  });
});

describe('POST /v1/index/{key_hash}/{action}', () => {
  const act = (where: string, as: NonNullable<Ask['as']> = 'operate') => site.ask(`/v1/index/${where}`, { method: 'POST', as });

  it.each(['build', 'reconcile', 'check', 'drop'])('queues %s for the host', async (action) => {
    const { status, headers, body } = await act(`${KEY.slice(0, 16)}/${action}`);
    expect(status).toBe(202);
    expect(headers.get('location')).toBe('/v1/index');
    expect(ground.begun.at(-1)).toBe(`${action} ${IndexReceipt.parse(body).job} asked by operate (http)`);
  });

  it('is for operators only', async () => {
    for (const as of ['read', 'search', 'submit'] as const) expect(await act(`${KEY}/build`, as)).toMatchObject({ status: 403 });
  });

  it.each([
    ['deadbeef/build', 404, 'NOT_FOUND'],
    ['c0ffee/build', 400, 'INVALID_ARGUMENT'],
    [`${KEY}/format`, 400, 'INVALID_ARGUMENT'],
    [`${KEY}/update`, 400, 'INVALID_ARGUMENT'],
    ['..%2f..%2f..%2fetc/drop', 400, 'INVALID_ARGUMENT'],
    [`${KEY}%00/drop`, 400, 'INVALID_ARGUMENT'],
    [`${KEY}%0a/drop`, 400, 'INVALID_ARGUMENT'],
    [`${KEY.toUpperCase()}/drop`, 400, 'INVALID_ARGUMENT'],
    [`${KEY.padEnd(65, '0')}/drop`, 400, 'INVALID_ARGUMENT'],
    ['*/drop', 400, 'INVALID_ARGUMENT'],
    ['__proto__/drop', 400, 'INVALID_ARGUMENT'],
    [`${KEY}/__proto__`, 400, 'INVALID_ARGUMENT'],
  ])('answers %s with %s', async (where, status, code) => {
    const reply = await act(where);
    expect({ status: reply.status, code: Problem.parse(reply.body).code }).toEqual({ status, code });
  });

  it('answers 503 while no host runs', async () => {
    ground.setRunning(false);
    try {
      expect(await act(`${KEY}/build`)).toMatchObject({ status: 503, body: { code: 'INDEX_UNAVAILABLE' } });
    } finally {
      ground.setRunning(true);
    }
  });

  it('is written to the audit log, with its job', async () => {
    const { job } = IndexReceipt.parse((await act(`${KEY}/check`)).body);
    const records = [];
    for await (const record of createAuditReader(site.rig.places.audit).records()) records.push(record);
    expect(records.at(-1)).toMatchObject({ surface: 'http', who: 'operate', action: 'index.check', subject: KEY, outcome: 'done', detail: { job } });
  });
});

describe('client.contentIndex', () => {
  it('looks and acts', async () => {
    const client = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
    expect((await client.contentIndex.status()).indexes.map(({ root }) => root)).toEqual([ROOT]);
    for (const action of ['build', 'reconcile', 'check', 'drop'] as const) {
      const { job } = await client.contentIndex[action](KEY);
      expect(ground.begun.at(-1)).toContain(`${action} ${job}`);
    }
    await expect(client.contentIndex.build('deadbeef')).rejects.toMatchObject({ name: 'WritApiError', code: 'NOT_FOUND', status: 404 });
  });
});

describe('where the index is off', () => {
  it('the report says so, and an action is refused with the line to add', async () => {
    await using off = await indexGround({ mode: 'off', empty: true });
    await using other = await startSite({ kernel: false, contentIndex: off.service });
    expect(await other.ask('/v1/index', { as: 'read' })).toMatchObject({ status: 200, body: { mode: 'off', indexes: [] } });
    const refused = await other.ask(`/v1/index/${KEY}/build`, { method: 'POST', as: 'operate' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'WRONG_STATE', detail: expect.stringContaining('index_mode') } });
  });
});
