import { beforeEach, describe, expect, it } from 'vitest';
import { processTask } from '../../../processors/pipeline.ts';
import { MAX_JOB_BYTES, type TaskJob } from '../../../src/contracts/index.ts';
import { WritError } from '../../../src/core/errors.ts';
import { stopped } from '../../../src/core/stopped.ts';
import { messageForLog } from '../../../src/observability/redact.ts';
import { LEASE, MANIFEST, NOW } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, executorKey, strangerKey, type World } from './world.ts';

const HOUR_MS = 3_600_000;

let world: World;
let job: TaskJob;
beforeEach(async () => {
  world = await createWorld();
  job = await world.job();
});
const row = () => world.ledger.row(MANIFEST.task_id);
const reported = () => world.reports.at(-1);

describe('a task on its way through all steps', () => {
  it('is recalled, executed, closed in the journal, recorded and reported, in this order', async () => {
    const end = await world.deliver(job);
    expect(end).toMatchObject({ kind: 'answered', status: 'SUCCESS', replayed: false, result: await world.signed(DONE) });
    expect(world.steps).toEqual(['recall', 'execute', 'journal:SUCCESS', 'ledger:SUCCESS']);
    expect(world.reports).toHaveLength(1);
    expect(reported()).toMatchObject({ queue: 'file', jobId: 'job-1', taskId: 'task-1', capability: 'FILE_MOVE', end: 'SUCCESS', takeovers: 0, ms: 0 });
  });

  it('hands the executor the manifest, the authority and the epoch, and nothing of the queue', async () => {
    let seen: unknown;
    world.host.run = async (task) => {
      seen = task;
      return DONE;
    };
    await world.deliver(job);
    const authority = { jti: LEASE.jti, exp: LEASE.exp, kid: 'kernel-1' };
    expect(seen).toEqual({ manifest: MANIFEST, manifestSha256: LEASE.manifest_sha256, authority, epoch: 1 });
  });

  it('takes as long as the clock says', async () => {
    world.host.run = async () => {
      world.clock.advance(250);
      return DONE;
    };
    await world.deliver(job);
    expect(reported()).toMatchObject({ ms: 250, endedAt: NOW * 1000 + 250 });
  });
});

describe('step 1, parse', () => {
  it.each<[string, (job: TaskJob) => unknown, string]>([
    ['nothing', () => null, 'job: '],
    ['no object', () => 'FILE_MOVE', 'job: '],
    ['no manifest', ({ manifest: _manifest, ...rest }) => rest, 'manifest: '],
    ['an unknown field', (whole) => ({ ...whole, urgent: true }), 'job: '],
    ['a task_id that is none', (whole) => ({ ...whole, manifest: { ...MANIFEST, task_id: '../x' } }), 'manifest.task_id: '],
    ['half a character', (whole) => ({ ...whole, manifest: { ...MANIFEST, inputs: { source_path: '\ud800' } } }), 'manifest.inputs.source_path: '],
    ['a forbidden key', (whole) => ({ ...whole, manifest: { ...MANIFEST, inputs: JSON.parse('{"__proto__":1}') as object } }), 'manifest.inputs.__proto__: '],
    [
      'too many bytes',
      (whole) => ({ ...whole, manifest: { ...MANIFEST, inputs: { a: 'a'.repeat(MAX_JOB_BYTES) } } }),
      `manifest: larger than ${MAX_JOB_BYTES} bytes`,
    ],
  ])('ends a job that is no contract: %s', async (_what, change, message) => {
    expect(await world.deliver(change(job))).toMatchObject({ kind: 'malformed', message: expect.stringContaining(message) });
    expect(world.steps).toEqual([]);
    expect([await row(), await world.refusal()]).toEqual([undefined, undefined]);
    expect(reported()).toMatchObject({ end: 'malformed', taskId: undefined, message: expect.stringContaining(message) });
  });
});

describe('what the log is told of a job that is no contract', () => {
  it.each<[string, (job: TaskJob, secret: string) => unknown, string]>([
    ['of the job', (whole, secret) => ({ ...whole, [secret]: 1 }), 'job: is not known here'],
    ['of the manifest', (whole, secret) => ({ ...whole, manifest: { ...MANIFEST, [secret]: 1 } }), 'manifest._'],
  ])('has no name that the producer has made up: a field %s', async (_what, change, message) => {
    const secret = 'hunter2: "x" y; manifest.z: q';
    const end = await world.deliver(change(job, secret));
    expect(end).toMatchObject({ message: expect.stringContaining('hunter2') });
    const said = messageForLog('malformed', undefined, reported()?.message) ?? '';
    expect(said).toContain(message.replace('_', '…'));
    expect(said).not.toMatch(/hunter2|"x"|\bq\b/);
  });
});

describe('step 2, authenticate', () => {
  it.each<[string, (world: World) => Promise<TaskJob>]>([
    ['no lease', async (of) => ({ v: 1, manifest: (await of.job()).manifest })],
    ['a lease for another manifest', async (of) => ({ ...(await of.job()), manifest: { ...MANIFEST, inputs: {} } })],
    ['a lease for another task', async (of) => ({ ...(await of.job({ task_id: 'task-2' })), manifest: MANIFEST })],
    ['a lease for another queue', (of) => of.job({}, { aud: 'search' })],
    ['another issuer', (of) => of.job({}, { iss: 'somebody' })],
    ['a stranger of the same name', (of) => of.job({}, {}, strangerKey)],
  ])('refuses the job and leaves the task alone: %s', async (_what, forged) => {
    const end = await world.deliver(await forged(world));
    expect(end).toMatchObject({ kind: 'refused', code: 'INVALID_LEASE' });
    expect(await world.refusal()).toBe('result' in end ? end.result : undefined);
    expect(world.steps).toEqual([]);
    expect(await row()).toBeUndefined();
    expect(reported()).toMatchObject({ end: 'refused', code: 'INVALID_LEASE', taskId: 'task-1' });
  });

  it('shows a forged job nothing of a task that is finished', async () => {
    await world.deliver(job);
    expect(await world.deliver(await world.job({}, {}, strangerKey), { jobId: 'forged' })).toMatchObject({ kind: 'refused', code: 'INVALID_LEASE' });
    expect(await row()).toMatchObject({ state: 'success', epoch: 1 });
  });

  it('crashes, and refuses nothing, when the keys cannot be read', async () => {
    const error = new WritError('STORAGE_UNAVAILABLE', 'cannot read the keys');
    world.deps = { ...world.deps, authorities: { ...world.authorities, authenticate: () => Promise.reject(error) } };
    expect(await world.deliver(job)).toEqual({ kind: 'crashed', error });
    expect([await row(), await world.refusal()]).toEqual([undefined, undefined]);
  });
});

describe('step 4, authorize', () => {
  it('refuses a lease that has expired, at the very second', async () => {
    world.clock.advance(HOUR_MS);
    const end = { status: 'FAILURE', code: 'LEASE_EXPIRED', message: 'the lease expired at 2027-01-15T09:00:00.000Z' };
    expect(await world.deliver(job)).toMatchObject(end);
    expect(world.steps).toEqual(['recall', 'recall', 'journal:FAILURE', 'ledger:FAILURE']);
  });

  it.each(['open', 'finished'] as const)('tells no refusal of a task that the journal knows as %s by then', { tags: ['FE-37'] }, async (kind) => {
    const { memory } = world.host.executor;
    const known = { kind, manifestSha256: LEASE.manifest_sha256, result: '{}' };
    const recalls = [{ kind: 'unknown' } as const, known];
    Object.assign(memory ?? {}, { recall: async () => recalls.shift() });
    world.clock.advance(HOUR_MS);
    expect(await world.deliver(job)).toEqual({ kind: 'busy', why: 'another worker has just begun or finished this task' });
    expect(await row()).toMatchObject({ state: 'running', owner: '' });
  });

  it.each<[string, Partial<typeof LEASE>, string]>([
    ['issued in the future', { iat: NOW + 61, exp: NOW + 100 }, 'the lease was issued in the future'],
    ['that lives too long', { iat: NOW, exp: NOW + 86_401 }, 'the lease lives longer than 86400 seconds'],
  ])('refuses a lease %s', async (_what, lease, message) => {
    expect(await world.deliver(await world.job({}, lease))).toMatchObject({ code: 'INVALID_LEASE', message });
    expect(world.steps).not.toContain('execute');
  });

  it('refuses a lease whose revocation was published before the delivery', async () => {
    await world.revoke(LEASE.jti);
    expect(await world.deliver(job)).toMatchObject({ code: 'INVALID_LEASE', message: 'the lease was revoked' });
    expect(world.steps).not.toContain('execute');
    expect(await row()).toMatchObject({ state: 'failure', errorCode: 'INVALID_LEASE' });
  });

  it('refuses a capability that no executor here serves', async () => {
    expect(await world.deliver(await world.job({ capability_id: 'FILE_BURN' }))).toMatchObject({ status: 'FAILURE', code: 'UNSUPPORTED_CAPABILITY' });
    expect(world.steps).not.toContain('execute');
  });
});

describe('step 7, settle', () => {
  const settled = (data: unknown, tries = { started: 1, allowed: 1 }) => {
    const { delivery, running } = world.fetched(data);
    return processTask(delivery, running, tries, world.deps);
  };

  it('tells the queue what the end means', async () => {
    expect(await settled(job)).toMatchObject({ action: { kind: 'complete', value: { status: 'SUCCESS' } } });
    expect(await settled(undefined)).toMatchObject({ action: { kind: 'fail', recoverable: false } });
    world.host.run = async () => ({ kind: 'busy', why: 'another worker has just begun it' });
    expect(await settled(await world.job({ task_id: 'task-2' }), { started: 3, allowed: 1 })).toEqual({ action: { kind: 'delay', ms: 4000 } });
  });

  it('happens outside of what is put around the delivery, and after the report', async () => {
    const order: string[] = [];
    world.deps = {
      ...world.deps,
      report: () => void order.push('report'),
      async around(_delivery, work) {
        order.push('begin');
        const end = await work();
        order.push('end');
        return end;
      },
    };
    expect(await settled(job)).toMatchObject({ action: { kind: 'complete' } });
    expect(order).toEqual(['begin', 'report', 'end']);
  });
});

describe('step 8, emit', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it('names the trace of the job, and says of another text that it is none', async () => {
    await world.deliver({ ...job, traceparent });
    expect(reported()).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', badTrace: false });
    await world.deliver({ ...job, traceparent: traceparent.toUpperCase() }, { jobId: 'again' });
    expect(reported()).toMatchObject({ traceId: undefined, badTrace: true });
    await world.deliver(job, { jobId: 'without' });
    expect(reported()).toMatchObject({ traceId: undefined, badTrace: false });
  });

  describe('of a step of a plan', () => {
    const provenance = { plan_sha256: 'a'.repeat(64), step: 'steps[0]' };
    const wake = `wake:${provenance.plan_sha256}`;

    it.each<[string, World['host']['run'], boolean]>([
      ['an answer', async () => DONE, true],
      ['a crash', () => Promise.reject(new Error('no')), false],
      ['a shutdown', async () => stopped('shutdown'), false],
    ])('wakes the plan when there is a result: %s', async (_what, run, woken) => {
      world.host.run = run;
      await world.deliver(await world.job({ provenance }));
      expect(world.steps.includes(wake)).toBe(woken);
      expect(reported()).toMatchObject({ planId: provenance.plan_sha256 });
    });

    it('wakes the plan of a job that was refused', async () => {
      await world.deliver(await world.job({ provenance }, {}, strangerKey));
      expect(world.steps).toEqual([wake]);
    });

    it('loses nothing when the plan cannot be woken', async () => {
      world.deps = { ...world.deps, wakePlan: () => Promise.reject(new Error('Redis is away')) };
      expect(await world.deliver(await world.job({ provenance }))).toMatchObject({ status: 'SUCCESS' });
    });
  });

  it('signs with the key of the executor', async () => {
    const end = await world.deliver(job);
    if (end.kind !== 'answered') throw new Error('the task was answered');
    const { signature } = JSON.parse(end.result) as { signature: string };
    expect(JSON.parse(Buffer.from(signature.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({ alg: 'EdDSA', kid: executorKey.kid });
  });
});
