import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { connected, createConnection } from '../../../queues/connection.ts';
import { createStatusReader } from '../../../queues/queue-status.ts';
import { inlineEd25519 } from '../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../src/adapters/crypto/node-crypto.ts';
import { checkAccess } from '../../../src/adapters/redis/access.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import { openPlanSide } from '../../../src/bin/plan/plan-side.ts';
import { openLedger, openProducerSide } from '../../../src/bin/producer-side.ts';
import { openResults } from '../../../src/bin/results.ts';
import { TaskManifest } from '../../../src/contracts/index.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { sha256Hex } from '../../../src/core/hash.ts';
import type { FiringStanding, PushOptions, Receipt } from '../../../src/core/ports/index.ts';
import { visitBoard } from '../../../src/surfaces/cli/tour/board.ts';
import { firingLane } from '../../../src/surfaces/shared/tasks/firing-lane.ts';
import { lookAgain } from '../../support/look-again.ts';
import { missedFiring } from '../../support/missed-firing.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { envelopeOf, fileStep } from '../../support/plan-rig.ts';
import { type AclSite, startAclSite } from './acl-site.ts';

/** The users as an administrator copies them. */
const USERS = readFileSync(`${packageRoot()}/deploy/redis/users.conf`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('user '));

let site: AclSite;
let firing = '';
beforeAll(async () => {
  site = await startAclSite(USERS, ({ base, places }) => {
    writeFileSync(`${base}/nightly`, 'x');
    firing = missedFiring(places, TaskManifest.parse(copyOf(base, 'nightly', 'nightly-copy').manifest));
  });
});
afterAll(() => site[Symbol.asyncDispose]());

const copyOf = (base: string, task_id: string, destination: string, source = task_id) => ({
  manifest: {
    task_id,
    capability_id: 'FILE_COPY',
    inputs: { source_path: `${base}/${source}`, destination_path: `${base}/${destination}` },
    constraints: {},
  },
});

const manifest = (task_id: string, capability_id: string, source: string, destination?: string) => ({
  manifest: {
    task_id,
    capability_id,
    inputs: { source_path: `${site.base}/${source}`, ...(destination === undefined ? {} : { destination_path: `${site.base}/${destination}` }) },
    constraints: capability_id === 'FILE_DELETE' ? { reversible: true } : {},
  },
});

/** What Redis has refused, in its own words; the log is emptied. */
async function refusals(): Promise<readonly string[]> {
  const entries = (await site.admin.call('ACL', 'LOG')) as readonly (readonly (string | number)[])[];
  await site.admin.call('ACL', 'LOG', 'RESET');
  const field = (entry: readonly (string | number)[], name: string): string => String(entry[entry.indexOf(name) + 1]);
  return entries.map((entry) => `${field(entry, 'username')}: ${field(entry, 'reason')} ${field(entry, 'object')} (${field(entry, 'context')})`);
}

/** Where a firing stands once it has ended. */
function endOf(standing: () => Promise<FiringStanding>): Promise<FiringStanding> {
  const look = async (): Promise<FiringStanding | undefined> => {
    const now = await standing();
    return now.kind === 'open' || now.kind === 'unknown' ? undefined : now;
  };
  return lookAgain({ look, timeoutMs: PATIENCE_MS, failure: () => 'the firing does not end' });
}

describe('the users of deploy/redis/users.conf', () => {
  it('let every role do its work over TLS, and Redis has nothing to refuse', async () => {
    site.file('a', 'needle\n');
    const push = (body: object, wait = 10) =>
      fetch(`${site.url}/v1/tasks?sign=true`, {
        method: 'POST',
        headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json', prefer: `wait=${wait}` },
        body: JSON.stringify(body),
      });
    const events = new AbortController();
    const stream = await fetch(`${site.url}/v1/events`, { headers: { authorization: `Bearer ${site.key}` }, signal: events.signal });

    // A task, its answer, the same again; a delete, taken back; one that fails, retried by the API and on the board.
    expect(await (await push(manifest('one', 'FILE_COPY', 'a', 'b'))).json()).toMatchObject({ state: 'success' });
    expect((await push(manifest('one', 'FILE_COPY', 'a', 'b'))).headers.get('idempotency-replayed')).toBe('true');
    expect(await (await push(manifest('gone', 'FILE_DELETE', 'b'))).json()).toMatchObject({ state: 'success' });
    expect(await site.call('POST', '/v1/tasks/gone/undo')).toMatchObject({ status: 202 });
    // A message, taken in by the API's own writer.
    const mail = await fetch(`${site.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json', prefer: 'wait=10' },
      body: JSON.stringify({ ops: [{ op: 'message', project: 'p', key: 'k', from: 'Ann', subject: 'hello' }] }),
    });
    expect(await mail.json()).toMatchObject({ counts: { inserted: 1 }, ids: [1], keys: ['k'] });
    site.file('taken');
    expect(await (await push(manifest('two', 'FILE_COPY', 'a', 'taken'))).json()).toMatchObject({ state: 'failure' });
    expect(await site.call('POST', '/v1/tasks/two/cancel')).toMatchObject({ status: 409 });
    expect(await site.cli(['retry', 'two', '--wait'])).toMatchObject({ code: 1 });
    rmSync(`${site.base}/taken`);
    const board = await visitBoard(site.url, site.key);
    await board.retry('file', 'two');
    expect(await site.cli(['result', 'one'])).toMatchObject({ code: 0 });
    // A bulk push, a search, a plan, a content search with and without the index, and its upkeep.
    const lines = ['three', 'four'].map((id) => JSON.stringify(manifest(id, 'FILE_COPY', 'a', id)));
    expect(await site.cli(['push', '-', '--sign', '--wait'], lines.join('\n'))).toMatchObject({ code: 0 });
    expect(await site.cli(['find', 'base', 'three'])).toMatchObject({ code: 0 });
    const envelope = envelopeOf([fileStep('FILE_COPY', `${site.base}/a`, `${site.base}/p`), fileStep('FILE_MOVE', `${site.base}/p`, `${site.base}/q`)]);
    const plan = await site.cli(['plan', 'run', '-', '--wait'], JSON.stringify(envelope));
    expect(plan).toMatchObject({ code: 0, state: 'success' });
    expect(await site.call('GET', `/v1/plans/${String(plan['plan_id'])}`)).toMatchObject({ status: 200, body: { state: 'success' } });
    const badPlan = await site.cli(['plan', 'run', '-', '--wait'], JSON.stringify(envelopeOf([fileStep('FILE_COPY', `${site.base}/no`, `${site.base}/p`)])));
    expect(badPlan).toMatchObject({ code: 1 });
    expect(await site.cli(['plan', 'retry', String(badPlan['plan_id']), '--wait'])).toMatchObject({ code: 1 });
    expect((await site.call('POST', '/v1/search', { pattern: 'needle', path: '.' })).status).toBe(200);
    expect(await site.cli(['index', 'build', '--wait'])).toMatchObject({ code: 0 });
    expect(await site.cli(['index', 'status'])).toMatchObject({ code: 0 });
    expect(await site.cli(['index', 'check'])).toMatchObject({ code: 0 });
    expect(await site.cli(['index', 'drop', '--wait'])).toMatchObject({ code: 0 });
    // What operators look at.
    const { body: leased } = await site.call('POST', '/v1/leases', manifest('five', 'FILE_COPY', 'a', 'five'));
    expect(await site.cli(['lease', 'revoke', String(leased['lease'])])).toMatchObject({ code: 0 });
    for (const page of ['/v1/tasks?state=failure', '/v1/keys', '/v1/index', '/metrics', '/readyz'])
      expect([page, (await site.call('GET', page)).status]).toEqual([page, 200]);
    for (const page of [
      '/board/api/queues?activeQueue=file&status=failed&page=1&jobsPerPage=10',
      '/board/api/queues/file/t_two',
      '/board/api/queues/file/t_two/logs',
      '/board/api/queues/file/workers',
    ])
      expect([page, (await site.call('GET', page)).status]).toEqual([page, 200]);
    expect((await site.call('PUT', '/board/api/queues/file/retry/failed')).status).toBeLessThan(300);
    expect(await site.cli(['status'])).toMatchObject({ code: 0, err: '' });
    await expect.poll(async () => (await site.call('GET', '/v1/tasks/two')).body).toMatchObject({ state: 'success' });
    events.abort();
    await stream.text().catch(() => '');
    expect(await refusals()).toEqual([]);
  });

  it('let the kernel push the firings of its schedules, and see how they end', async () => {
    await expect.poll(async () => (await site.call('GET', `/v1/tasks/${firing}`)).body).toMatchObject({ state: 'success' });
    const connection = await connected(createConnection(site.target('writ-kernel', 'CHANGE-ME'), 'producer'));
    const results = openResults(site.places, async () => inlineEd25519(nodeEd25519()));
    const signals = () => Promise.reject(new Error('nobody waits'));
    const wiring = { config: site.config('writ-kernel'), places: site.places, connection, results, signals };
    const lane = firingLane(openProducerSide(wiring), openPlanSide(wiring), connection);
    const idOf = (digit: string) => `s-${digit.repeat(64)}`;
    // Where the journal does not lie: what Redis alone says.
    const ledger = openLedger(site.config('writ-kernel'), connection);
    expect(await lane.standing(firing)).toEqual({ kind: 'ended', code: 'SUCCESS' });
    expect((await ledger.row(firing))?.state).toBe('success');
    expect(await lane.standing(idOf('0'))).toEqual({ kind: 'unknown' });
    // Nobody has signed these: they run, and are refused. The same once more is run once more, in its place, later, and before others.
    const { manifest: failing } = copyOf(site.base, idOf('1'), 'nowhere', 'absent');
    const job = { v: 1 as const, manifest: TaskManifest.parse(failing), lease: 'a.b.c' };
    const ended = () => endOf(() => lane.standing(idOf('1')));
    for (const [options, kind] of [
      [{}, 'accepted'],
      [{ attempts: 3 }, 'retried'],
      [{ priority: 7 }, 'accepted'],
    ] satisfies [PushOptions, Receipt['kind']][]) {
      expect(await lane.push(job, options)).toMatchObject({ kind });
      expect(await ended()).toEqual({ kind: 'ended', code: 'INVALID_LEASE' });
    }
    expect(await lane.push(job, { notBefore: Date.now() + 3_600_000 })).toMatchObject({ kind: 'accepted' });
    expect(await lane.standing(idOf('1'))).toEqual({ kind: 'open' });
    const { manifest: searching } = manifest(idOf('2'), 'SEARCH_FILES', 'x');
    const search = TaskManifest.parse({ ...searching, inputs: { query: 'a', target_scope: 'base', max_results: 1 } });
    expect(await lane.push({ v: 1, manifest: search, lease: 'a.b.c' }, {})).toMatchObject({ kind: 'accepted' });
    // A cancel that nobody has answered is forgotten when the firing is pushed again.
    expect(await site.call('POST', `/v1/tasks/${idOf('1')}/cancel`)).toMatchObject({ status: 202 });
    expect((await ledger.row(idOf('1')))?.cancelRequested).toBe(true);
    await ledger.clearCancel(idOf('1'), Date.now());
    expect((await ledger.row(idOf('1')))?.cancelRequested ?? false).toBe(false);
    // A plan that nobody has signed is refused, and says no end; it is put in its place again under the same ask, and before others.
    const envelope = { header: { id: 'x' }, payload: { steps: [] } };
    const id = sha256Hex(canonicalJson(envelope));
    const planEnded = () => endOf(() => lane.planStanding(id));
    expect(await lane.planStanding(id)).toEqual({ kind: 'unknown' });
    for (const options of [{ askedAt: 1_000 }, { askedAt: 1_000 }, { askedAt: 1_000, priority: 7 }]) {
      expect(await lane.pushPlan({ envelope, lease: 'a.b.c' }, options)).toMatchObject({ kind: 'accepted' });
      expect(await planEnded()).toEqual({ kind: 'unproven' });
    }
    await lane.close?.();
    connection.disconnect();
    expect(await refusals()).toEqual([]);
  });

  it('let a worker note, find and forget the jobs that wait for a task', async () => {
    const ledger = createRedisLedger(site.client('writ-worker'), { retentionMs: 1 });
    expect(await ledger.park('any', 'file:7', 1, Date.now())).toBe(1);
    for await (const jobs of ledger.parked('any')) expect(jobs).toEqual(['file:7']);
    expect(await ledger.unpark('any', 'file:7', 2)).toBe(true);
    expect(await refusals()).toEqual([]);
  });

  it('let somebody look who may change nothing', async () => {
    const connection = site.client('writ-exporter');
    const { workers, pool } = { workers: site.places.workers, pool: 'default' };
    const reader = createStatusReader({ connection, pool, workers, lanes: { index: true, messages: true } });
    expect((await reader.status()).queues.map(({ queue }) => queue)).toEqual(['file', 'search', 'plan', 'index-maintenance', 'message-index']);
    expect((await reader.figures()).workers).toEqual([expect.objectContaining({ alive: true })]);
    await reader.close();
    expect(await refusals()).toEqual([]);
  });

  it('change their passwords without a gap', async () => {
    const login = (password: string) =>
      checkAccess(site.target('writ-exporter', password)).then(
        () => 'in',
        (error: unknown) => (isWritError(error) ? error.code : 'crash'),
      );
    const both = async () => [await login('CHANGE-ME'), await login('new')];
    await site.admin.call('ACL', 'SETUSER', 'writ-exporter', '>new');
    expect(await both()).toEqual(['in', 'in']);
    await site.admin.call('ACL', 'SETUSER', 'writ-exporter', '<CHANGE-ME');
    expect(await both()).toEqual(['REDIS_UNAVAILABLE', 'in']);
    await site.admin.call('ACL', 'SETUSER', 'writ-exporter', '>CHANGE-ME');
    await refusals();
  });

  /** Each of these would be a way around somebody else's decision. */
  const FORBIDDEN: readonly (readonly [string, string, readonly string[]])[] = [
    ...['writ-api', 'writ-worker', 'writ-kernel', 'writ-index', 'writ-exporter'].flatMap((user) =>
      [
        ['FLUSHALL'],
        ['KEYS', '*'],
        ['CONFIG', 'GET', 'requirepass'],
        ['ACL', 'LIST'],
        ['CLIENT', 'KILL', 'ID', '1'],
        ['SCRIPT', 'FLUSH'],
        ['SET', 'x', '1'],
      ].map((words) => [user, 'nobody administers Redis or writes beside its keys', words] as const),
    ),
    ['writ-api', 'presence is what workers say', ['SET', '{writ}:worker:forged', '1']],
    ['writ-api', 'a pool is claimed by workers', ['SET', '{writ}:pool:default', 'me']],
    ['writ-api', 'the kernel revokes', ['RPUSH', '{wl-00}:revocations', 'x']],
    ['writ-api', 'generations are of the ledger', ['SET', '{wl-00}:generation', '9']],
    ['writ-api', 'a refusal is signed by a worker', ['SET', '{wl-00}:refused:file:1', '{}']],
    ['writ-worker', 'the kernel revokes', ['RPUSH', '{wl-00}:revocations', 'x']],
    ['writ-worker', 'indexes have a host', ['LPUSH', '{writ}:index-maintenance:wait', '1']],
    ['writ-worker', 'nobody lists what is there', ['SCAN', '0']],
    ['writ-kernel', 'the kernel touches no job but those of schedules', ['HSET', '{writ}:file:t_one', 'data', '{}']],
    ['writ-kernel', 'it holds no plan', ['SET', `{writ}:plan:p_${'1'.repeat(64)}:lock`, '1']],
    ['writ-kernel', 'nor are indexes', ['LPUSH', '{writ}:index-maintenance:wait', '1']],
    ['writ-kernel', 'nor are messages', ['LPUSH', '{writ}:message-index:wait', '1']],
    ['writ-kernel', 'it writes in no row but theirs', ['HSET', '{wl-00}:task:one', 'state', 'success']],
    ['writ-kernel', 'nor refusals', ['EVAL', "return redis.call('SET', KEYS[1], '1')", '1', `{wl-00}:refused:{writ}:file:t_s-${'1'.repeat(64)}`]],
    ['writ-kernel', 'the kernel reads no results', ['HMGET', '{wl-00}:task:one', 'state']],
    ['writ-kernel', 'it cancels nothing', ['PUBLISH', '{wl-00}:cancel', 'one']],
    ['writ-index', 'tasks are not its business', ['LPUSH', '{writ}:file:wait', '1']],
    ['writ-index', 'results are not its business', ['HGETALL', '{wl-00}:task:one']],
    ['writ-index', 'nor is listening', ['SUBSCRIBE', '{wl-00}:recorded']],
    ['writ-exporter', 'looking changes nothing', ['LPUSH', '{writ}:file:wait', '1']],
    ['writ-exporter', 'not by a script either', ['EVAL', "return redis.call('DEL', KEYS[1])", '1', '{writ}:file:meta']],
    ['writ-api', 'who waits for a task is the business of workers', ['HGETALL', '{wl-00}:parked:one']],
    ['writ-exporter', 'results are not figures', ['HGETALL', '{wl-00}:task:one']],
  ];

  it.each([
    ['writ-api', 'ok'],
    ['writ-worker', 'warn'],
    ['writ-kernel', 'warn'],
    ['writ-index', 'warn'],
    ['writ-exporter', 'ok'],
  ])('let the doctor of %s look, who finds nothing broken and of the queues: %s', async (user, level) => {
    const settings = readFileSync(site.places.configFile, 'utf8').replace('writ-api', user);
    const own = site.file(`${user}.toml`, settings);
    chmodSync(own, 0o600);
    const { code, err, checks } = await site.cli(['--config', own, 'doctor']);
    const found = checks as readonly { readonly title: string; readonly level: string }[];
    expect([code, err, found.filter((check) => check.level === 'fail')]).toEqual([0, '', []]);
    expect(found.find(({ title }) => title === 'queues')).toMatchObject({ level });
  });

  it('refuse everything beyond', async () => {
    const clients = new Map(['writ-api', 'writ-worker', 'writ-kernel', 'writ-index', 'writ-exporter'].map((user) => [user, site.client(user)] as const));
    for (const [user, why, words] of FORBIDDEN) {
      const answer = await clients
        .get(user)
        ?.call(...(words as [string, ...string[]]))
        .catch((error: unknown) => String(error));
      expect([user, why, ...words, String(answer)]).toEqual([user, why, ...words, expect.stringMatching(/NOPERM|No permissions|can't run this command/)]);
    }
    expect((await refusals()).length).toBeGreaterThan(0);
  });
});
