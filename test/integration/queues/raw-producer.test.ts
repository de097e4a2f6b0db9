import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TaskJob } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { failure, success } from '../../../src/core/outcome.ts';
import { lookAgain } from '../../support/look-again.ts';
import { PATIENCE_MS, patient } from '../../support/patience.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type QueueRig, queueRig, taskJob } from './fixture.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DOCUMENT = readFileSync(join(ROOT, 'docs/producers.md'), 'utf8');
/** The users of docs/producers.md, as they stand there. */
const ACL = DOCUMENT.split('\n').filter((line) => line.startsWith('ACL SETUSER '));

describe('a raw producer', () => {
  let server: TestRedis;
  let admin: Redis;
  let rig: QueueRig;
  beforeAll(async () => {
    server = await startTestRedis();
    admin = await server.client();
    for (const line of ACL) await admin.call(...(line.split(' ') as [string, ...string[]]));
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.flushAll();
    rig = await queueRig(server);
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  const as = (username: string): Redis => admin.duplicate({ username, password: 'CHANGE-ME', maxRetriesPerRequest: 1 });
  const path = (): string => {
    const target = server.target();
    if (!('path' in target)) throw new Error('not a socket');
    return target.path;
  };
  /** A connection file with the documented users. */
  const connectionFile = (extra: object = {}): string => {
    const file = join(server.directory, 'connection.json');
    const user = (username: string) => ({ path: path(), username, password: 'CHANGE-ME' });
    const keys = join(server.directory, 'keys.json');
    writeFileSync(keys, JSON.stringify(rig.keys));
    writeFileSync(file, JSON.stringify({ redis: user('writ-producer'), reader: user('writ-reader'), queue: rig.queueName, keys, ...extra }));
    return file;
  };

  for (const [language, command] of Object.entries({
    javascript: [process.execPath, 'examples/raw-producer.mjs'],
    python: ['python3', 'examples/raw-producer.py'],
  })) {
    describe(`in ${language}, with the documented users`, () => {
      const run = (args: string[], input: unknown): ReturnType<typeof runScript> => runScript([...command, ...args], JSON.stringify(input));

      it('puts a job on the queue that a worker takes and the contract accepts', async () => {
        const { manifest, lease } = taskJob('raw');
        const { code, answer } = await run([connectionFile(), '-', '--no-wait'], { manifest, lease });
        expect({ code, answer }).toEqual({ code: 0, answer: { pushed: true, queue: rig.queueName, jobId: '1' } });
        const job = await rig.fetch();
        expect(job).toMatchObject({ id: '1', name: 'FILE_MOVE', data: taskJob('raw'), opts: { removeOnFail: { age: 604_800 } } });
        expect(TaskJob.safeParse(job.data).success).toBe(true);
        await rig.complete(job);
      });

      it('waits for the answer in the row, also for an older failure to be replaced', async () => {
        const { manifest, lease } = taskJob('raw');
        await rig.record(taskJob('raw'), 'FAILURE');
        const answered = run([connectionFile()], { manifest, lease });
        await nextJob(rig);
        const signed = await rig.record(taskJob('raw'), 'SUCCESS');
        expect(await answered).toEqual({ code: 0, answer: JSON.parse(signed) });
      });

      it('reads a refusal under the key of its job, and the reason of a job that is no contract', async () => {
        const { manifest, lease } = taskJob('raw');
        const refused = run([connectionFile()], { manifest, lease });
        const job = await nextJob(rig);
        await rig.ledger.refuse('raw', `${rig.queueName}:${job.id}`, await rig.sign(taskJob('raw'), failure('INVALID_LEASE', 'no')));
        expect(await refused).toMatchObject({ code: 1, answer: { error: { error_code: 'INVALID_LEASE' } } });

        const malformed = run([connectionFile()], { manifest: { ...manifest, extra: 1 }, lease });
        await rig.fail(await nextJob(rig), 'INVALID_MANIFEST: manifest: no such field');
        expect(await malformed).toMatchObject({ code: 1, answer: { status: 'REFUSED' } });
      });

      it('takes no text for an answer that nobody has signed for this task and manifest', async () => {
        const job = taskJob('raw', { inputs: { small: 0.000_001_5, half: 1.5, smaller: -2.5e-9, names: { '\u{1f600}': 1, '\uff21': 2 } } });
        const other = await rig.sign(taskJob('other'), success({ capability_id: 'FILE_MOVE' }));
        const changed = await rig.sign(taskJob('raw'), success({ capability_id: 'FILE_MOVE' }));
        const signed = await rig.sign(job, success({ capability_id: 'FILE_MOVE', '\u{1f600}': 0.1, '\uff21': 1e-7 }));
        const row = `{wl-${createHash('sha256').update('raw').digest('hex').slice(0, 2)}}:task:raw`;
        const redis = await server.client();
        const asked = await reading(admin, row);
        const write = (result: string) => redis.hset(row, { state: 'success', sha: manifestSha256(job.manifest), epoch: 9, result });
        const forgeries = [
          signed.replace(/"signature":"[^"]*"/, '"signature":""'),
          signed.replace('0.1', '0.2'),
          signed.slice(0, -9),
          other,
          changed,
          '[]',
          '',
        ];
        let ended: unknown;
        const answered = run([connectionFile({ timeoutSeconds: patient(60) })], job).then((answer) => {
          ended = answer;
          return answer;
        });
        for (const result of forgeries) {
          await write(result);
          // Who reads the row again has taken no answer from what was there.
          await Promise.race([asked.times(2), answered]);
          expect({ result, ended }).toEqual({ result, ended: undefined });
        }
        await write(signed);
        expect(await answered).toEqual({ code: 0, answer: JSON.parse(signed) });
        asked.stop();
      });

      it('gives up in time', async () => {
        const { manifest, lease } = taskJob('raw');
        expect(await run([connectionFile({ timeoutSeconds: 0.2 })], { manifest, lease })).toMatchObject({ code: 3, answer: { timeout: true } });
      });
    });
  }

  it('that adds an id which has failed changes nothing; the documented lines run it again', async () => {
    const retrier = as('writ-retrier');
    const queue = new Queue(rig.queueName, { connection: retrier, prefix: '{writ}' });
    await queue.add('FILE_MOVE', taskJob('t', {}, 'old'), { jobId: 't_t' });
    await rig.fail(await rig.fetch());
    await queue.add('FILE_MOVE', taskJob('t', {}, 'new'), { jobId: 't_t' });
    expect(await rig.enqueue.jobState('t')).toMatchObject({ state: 'failed', data: taskJob('t', {}, 'old') });

    const job = await queue.getJob('t_t');
    await job?.updateData(taskJob('t', {}, 'new'));
    await job?.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    expect(await rig.fetch()).toMatchObject({ data: taskJob('t', {}, 'new'), attemptsMade: 0 });
    await queue.close();
    retrier.disconnect();
  });

  it('that is limited to adding can add in every way of BullMQ', async () => {
    const producer = as('writ-producer');
    const queue = new Queue(rig.queueName, { connection: producer, prefix: '{writ}' });
    await queue.add('FILE_MOVE', taskJob('a'), { jobId: 't_a', attempts: 3 });
    await queue.add('FILE_MOVE', taskJob('a'), { jobId: 't_a' });
    await queue.add('FILE_MOVE', taskJob('b'), { delay: 1000 });
    await queue.add('FILE_MOVE', taskJob('c'), { priority: 5 });
    await queue.addBulk([
      { name: 'FILE_MOVE', data: taskJob('d') },
      { name: 'FILE_MOVE', data: taskJob('e') },
    ]);
    expect(await rig.queue.getJobCounts('waiting', 'delayed', 'prioritized')).toEqual({ waiting: 3, delayed: 1, prioritized: 1 });
    await queue.close();
    producer.disconnect();
  });

  it('cannot reach the ledger, other keys, channels or administration, not even from a script', async () => {
    const tag = createHash('sha256').update('t').digest('hex').slice(0, 2);
    const row = `{wl-${tag}}:task:t`;
    const FORBIDDEN: [string, ...string[]][] = [
      ['HGET', row, 'state'],
      ['HSET', row, 'state', 'success'],
      ['INCR', '{wl-00}:generation'],
      ['HSET', '{writ}:worker:i-1', 'a', 'b'],
      ['LPUSH', '{writ}:pool:default', 'x'],
      ['DEL', '{writ}:file:wait'],
      ['FLUSHALL'],
      ['KEYS', '*'],
      ['SCAN', '0'],
      ['CONFIG', 'GET', '*'],
      ['ACL', 'LIST'],
      ['SCRIPT', 'FLUSH'],
      ['SHUTDOWN'],
      ['SUBSCRIBE', '{wl-00}:cancel'],
      ['PUBLISH', '{wl-00}:cancel', 't'],
      ['EVAL', `return redis.call('HSET', '${row}', 'state', 'success')`, '0'],
      ['EVAL', `return redis.call('DEL', KEYS[1])`, '1', '{writ}:file:wait'],
      ['EVAL', `return redis.call('PUBLISH', '{wl-00}:cancel', 't')`, '0'],
    ];
    await rig.record(taskJob('t'), 'FAILURE');
    for (const username of ['writ-producer', 'writ-retrier']) {
      const producer = as(username);
      for (const [command, ...args] of FORBIDDEN)
        await expect(producer.call(command, ...args), `${username} ${command} ${args[0]}`).rejects.toThrow(/NOPERM|can't run this command|can't access/);
      producer.disconnect();
    }
    const reader = as('writ-reader');
    expect(await reader.hmget(row, 'state')).toEqual(['failure']);
    for (const [command, ...args] of [
      ['HSET', row, 'state', 'success'],
      ['GET', '{wl-00}:generation'],
      ['LRANGE', '{wl-00}:revocations', '0', '-1'],
      ['HMGET', '{writ}:file:1', 'data'],
      ['SUBSCRIBE', '{wl-00}:cancel'],
      ['EVAL', 'return 1', '0'],
    ] as [string, ...string[]][])
      await expect(reader.call(command, ...args), `reader ${command}`).rejects.toThrow('NOPERM');
    reader.disconnect();
    expect(await rig.ledger.row('t')).toMatchObject({ state: 'failure' });
  });
});

/** The next job that a producer process pushes. */
async function nextJob({ queue, fetch }: QueueRig): ReturnType<QueueRig['fetch']> {
  const look = async (): Promise<boolean | undefined> => (await queue.getWaitingCount()) > 0 || undefined;
  await lookAgain({ look, timeoutMs: PATIENCE_MS, failure: () => 'nothing was pushed' });
  return fetch();
}

/** Waits until somebody has read the row so often from now on. */
async function reading(admin: Redis, row: string): Promise<{ times(count: number): Promise<void>; stop(): void }> {
  const monitor = await admin.monitor();
  return {
    times: (count) =>
      new Promise((resolve) => {
        let seen = 0;
        monitor.on('monitor', function look(_time: string, [command = '', key]: readonly string[]) {
          if (command.toLowerCase() !== 'hmget' || key !== row) return;
          seen += 1;
          if (seen < count) return;
          monitor.off('monitor', look);
          resolve();
        });
      }),
    stop: () => monitor.disconnect(),
  };
}

async function runScript([command = '', ...args]: string[], input: string): Promise<{ code: number; answer: unknown }> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, answer: output === '' ? undefined : JSON.parse(output) };
}
