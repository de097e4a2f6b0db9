import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageWriter } from '../../../processors/message-writer.ts';
import { createMessageLane } from '../../../queues/message-lane.ts';
import { IngestReceipt, IngestReport } from '../../../src/contracts/index.ts';
import { type Lifecycle, sequential } from '../../../src/core/lifecycle.ts';
import type { MessageLane } from '../../../src/core/ports/index.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';
import { METRICS } from '../../../src/observability/events.ts';
import { ingestTelemetry } from '../../../src/observability/message-ingest.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { WritClient } from '../../../src/surfaces/client/index.ts';
import { commandLine, lastJson } from '../../support/command-line.ts';
import { rowsIn } from '../../support/messages/rows.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type Ask, type Site, startSite } from '../surfaces/http/routes-site.ts';

let redis: TestRedis;
let dataDir: string;
let file: string;
let lane: MessageLane;
let writer: Lifecycle;
let site: Site;
const logged: (readonly [object, string])[] = [];
const metrics = createMetrics('api', '0');

beforeAll(async () => {
  redis = await startTestRedis();
  dataDir = dirname(redis.directory);
  file = dataDirPaths(dataDir).messages;
  const [connection, worker] = [await redis.client('producer'), await redis.client('worker')];
  let ids = 0;
  const newId = (): string => {
    ids += 1;
    return `n${ids}`;
  };
  const log = (fields: object, text: string): void => void logged.push([fields, text]);
  const telemetry = ingestTelemetry(metrics, { debug: log, info: log, warn: log } as Parameters<typeof ingestTelemetry>[1]);
  lane = createMessageLane({ pool: 'default', connection, worker, newId, now: Date.now, onFailed: telemetry.failed });
  const store = createMessageStore({ file, batchOps: 2000, onCommit: telemetry.committed, onRebuild: telemetry.rebuilding });
  writer = sequential([messageWriter({ lane, store, onDone: telemetry.done, onStandBy: (error) => expect.unreachable(String(error)) })]);
  await writer.start();
  site = await startSite({ kernel: false, messages: lane });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await writer.stop();
  await redis.stop();
});

const rows = (sql: string): readonly unknown[] => rowsIn(file, sql);
const send = (ops: readonly object[], headers = {}, as: NonNullable<Ask['as']> = 'ingest') =>
  site.ask('/v1/messages', { method: 'POST', body: { ops }, headers, as });
const hello = { op: 'message', project: 'web', from: 'Ann', to: ['Bob', { project: 'backend', name: 'Cid' }], subject: 'hello', body_md: 'world' };

describe('POST /v1/messages', () => {
  it('queues messages and answers with their keys; with a wait, when they are stored, with their ids', async () => {
    const queued = await send([hello]);
    expect(queued.status).toBe(202);
    expect(IngestReceipt.parse(queued.body).keys).toEqual([expect.stringMatching(/^http:/)]);
    const { status, headers, body } = await send([{ ...hello, key: 'mine' }, hello], { prefer: 'wait=60' });
    expect([status, headers.get('preference-applied')]).toEqual([200, 'wait=60']);
    const report = IngestReport.parse(body);
    expect([report.counts.inserted, report.ids.length, report.keys[0]]).toEqual([2, 2, 'mine']);
    const again = await send([{ ...hello, key: 'mine', body_md: 'moon' }], { prefer: 'wait=60' });
    expect(IngestReport.parse(again.body)).toMatchObject({ counts: { updated: 1 }, ids: [report.ids[0]] });
    expect(rows(`SELECT body_md FROM messages WHERE source_key = 'mine'`)).toEqual([['moon']]);
    expect(rows(`SELECT p.slug FROM agents a JOIN projects p ON p.id = a.project_id WHERE a.name = 'Cid'`)).toEqual([['backend']]);
  });

  it('is for those who may ingest, and names the field that is wrong', async () => {
    for (const as of ['read', 'search', 'submit'] as const) expect(await send([hello], {}, as)).toMatchObject({ status: 403 });
    expect(await send([{ ...hello, importance: 'extreme' }])).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
    const mark = { op: 'mark', name: 'x', position: '', items: 0, bad: 0, pass: 0, finished: true };
    const told = [
      { op: 'told', name: 'x', pass: 1, messages: [] },
      { op: 'untold', name: 'x', pass: 1 },
    ];
    for (const op of [{ op: 'rebuild' }, mark, ...told, {}]) expect(await send([op])).toMatchObject({ status: 400 });
    expect(await send([])).toMatchObject({ status: 400, body: { field: 'ops' } });
  });
});

describe('DELETE /v1/messages/{id}', () => {
  const remove = (id: string | number, as: NonNullable<Ask['as']> = 'ingest') =>
    site.ask(`/v1/messages/${id}`, { method: 'DELETE', headers: { prefer: 'wait=60' }, as });

  it('deletes a message from the tables and from the full text; what is not there is no error', async () => {
    const { body } = await send([{ ...hello, body_md: 'ephemeral' }], { prefer: 'wait=60' });
    const [id = 0] = IngestReport.parse(body).ids;
    expect(await remove(id)).toMatchObject({ status: 200, body: { counts: { deleted: 1 } } });
    expect(rows(`SELECT rowid FROM fts_messages('ephemeral')`)).toEqual([]);
    expect(await remove(id)).toMatchObject({ status: 200, body: { counts: { deleted: 0 } } });
  });

  it('takes ids only, from those who may ingest', async () => {
    for (const id of ['0', 'x', '-1', '9007199254740993'])
      expect(await remove(id)).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field: 'id' } });
    expect(await remove(1, 'read')).toMatchObject({ status: 403 });
  });
});

describe('the client, and what operators did', () => {
  const client = (as: Parameters<Site['secret']>[0]) => new WritClient({ baseUrl: site.url, key: site.secret(as) });

  it('sends, searches, deletes and indexes anew with types of its own', async () => {
    const { messages } = client('ingest');
    const sent = await messages.ingest([{ op: 'message', project: 'typed', subject: 'by the client' }], { wait: 20 });
    if (!sent.stored) return expect.unreachable('it waited');
    const [id = 0] = sent.report.ids;
    expect(rows(`SELECT subject FROM messages WHERE id = ${id}`)).toEqual([['by the client']]);
    expect((await client('search').messages.search({ text: 'plan' })).results[0]?.to).toEqual(['GreenHill', 'RedFox']);
    expect(await messages.delete(id, { wait: 20 })).toMatchObject({ stored: true, report: { counts: { deleted: 1 } } });
    await expect(messages.rebuild()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await client('operate').messages.rebuild({ wait: 20 })).toMatchObject({ stored: true });
  });

  it('is in the audit log where something is deleted or made anew, not where messages are sent', async () => {
    const from = site.audit().length;
    await send([{ ...hello, key: 'gone' }]);
    await send([hello, { op: 'delete', project: 'web', key: 'gone' }], { prefer: 'wait=60' });
    await site.ask('/v1/messages/1', { method: 'DELETE', as: 'ingest' });
    await site.ask('/v1/messages/rebuild', { method: 'POST', as: 'operate' });
    const noted = site.audit().slice(from);
    expect(noted.map(({ surface, who, action, subject, outcome }) => [surface, who, action, subject, outcome].join(' '))).toEqual([
      'http ingest message.delete a list of operations asked',
      'http ingest message.delete a list of operations done',
      'http ingest message.delete 1 asked',
      'http ingest message.delete 1 done',
      'http operate message.rebuild full text asked',
      'http operate message.rebuild full text done',
    ]);
    expect(noted[0]?.detail).toEqual({ deletes: 1, operations: 2 });
  });
});

describe('writ messages', () => {
  it('imports a file through the queue, tells what is wrong with it, and goes on from there', async () => {
    const source = join(realpathSync(mkdtempSync(join(tmpdir(), 'writ-source-'))), 'mail.jsonl');
    const lines = Array.from({ length: 1200 }, (_, i) => JSON.stringify({ key: `c${i}`, from: 'Ann', to: ['Bob'], subject: `imported ${i}` }));
    writeFileSync(source, `${[...lines, '{"half'].join('\n')}\n`);
    const run = (...more: string[]) => commandLine(['messages', 'import', source, '--project', 'cli', '--data-dir', dataDir, ...more]);
    const first = await run('--json');
    expect([first.code, lastJson(first)]).toEqual([
      1,
      { summary: expect.objectContaining({ format: 'jsonl', items: 1200, bad: 1, finished: true, counts: expect.objectContaining({ inserted: 1200 }) }) },
    ]);
    const again = await run();
    expect([again.code, again.out, again.err]).toEqual([1, expect.stringContaining('1 left out'), expect.stringContaining('line 1201: ')]);
    const whole = await run('--from-start');
    expect([whole.code, whole.out]).toEqual([1, expect.stringContaining('0 new, 0 changed, 1200 as before, 1 left out')]);
    expect(whole.err).toContain('line 1201: ');
    expect(rows(`SELECT count(*) FROM messages WHERE subject LIKE 'imported %'`)).toEqual([[1200]]);
    const audit = (await commandLine(['audit', 'list', '--json', '--data-dir', dataDir])).out;
    expect(audit.match(/"action":"message.import"/g)).toHaveLength(6);
    expect(audit).toContain('"inserted":1200');
    const status = lastJson(await commandLine(['status', '--json', '--data-dir', dataDir]));
    expect(JSON.stringify(status)).toContain('message-index');
    expect(status).toMatchObject({ imports: [{ name: expect.stringContaining(source), items: 1200, bad: 1, finished: true }] });
    expect((await commandLine(['status', '--data-dir', dataDir])).out).toMatch(/import +jsonl .*mail\.jsonl cli: 1200 records stored, 1 left out, finished/);
    writeFileSync(source, `${lines.join('\n')}\n`);
    expect((await run()).code).toBe(0);
    const last = await run();
    expect([last.code, last.out, last.err]).toEqual([0, expect.stringMatching(/^0 records/), expect.stringContaining('goes on behind 1200 records')]);
  });

  it('makes the full text anew, and the events of its life say so', { tags: ['MS-145', 'MS-146', 'MS-147'] }, async () => {
    logged.length = 0;
    expect((await commandLine(['messages', 'rebuild', '--data-dir', dataDir])).code).toBe(0);
    const named = (text: string) => logged.filter(([, message]) => message === text).map(([fields]) => fields);
    expect(named('index.rebuild.start')).toEqual([{ doc_count: expect.any(Number), engine: 'fts5' }]);
    expect(named('index.rebuild.complete')).toEqual([{ doc_count: expect.any(Number), duration_ms: expect.any(Number), engine: 'fts5' }]);
    await send([hello], { prefer: 'wait=60' });
    expect(named('index.incremental.batch')[0]).toEqual({ batch_size: expect.any(Number), engine: 'fts5', ms: expect.any(Number) });
  });

  it('has figures for what it did', async () => {
    const text = await metrics.text();
    expect(Object.keys(METRICS).filter((name) => name.startsWith('writ_message_ops'))).toEqual(['writ_message_ops_total']);
    expect(text).toMatch(/writ_message_ops_total\{what="inserted"\} 12\d\d/);
    expect(text).toMatch(/writ_message_rebuilds_total [1-9]/);
  });

  it('says that messages are off where they are', async () => {
    const said = await commandLine(['messages', 'import', '/dev/null', '--data-dir', dataDir, '--set', 'messages.enabled=false']);
    expect([said.code, said.err]).toEqual([1, expect.stringContaining('messages.enabled')]);
  });
});
