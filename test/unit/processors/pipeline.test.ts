import { beforeEach, describe, expect, it } from 'vitest';
import { processTask } from '../../../processors/pipeline.ts';
import { MAX_JOB_BYTES, type TaskJob } from '../../../src/contracts/index.ts';
import { WritError } from '../../../src/core/errors.ts';
import { type Execution, failure, type StopReason } from '../../../src/core/outcome.ts';
import type { RunContext } from '../../../src/core/ports/index.ts';
import { stopped, stopReason } from '../../../src/core/stopped.ts';
import { LEASE, MANIFEST, NOW } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, executorKey, strangerKey, type World } from './world.ts';

const HOUR_MS = 3_600_000;
const OTHER_MANIFEST = 'f'.repeat(64);

let world: World;
let job: TaskJob;
beforeEach(async () => {
  world = await createWorld();
  job = await world.job();
});
const row = () => world.ledger.row(MANIFEST.task_id);
const reported = () => world.reports.at(-1);
/** An executor that asks the gate and starts its effect only when the gate says nothing. */
const passGate = async (_task: unknown, { gate }: RunContext): Promise<Execution> => gate() ?? DONE;
/** An executor that works until it is told to stop. */
const untilStopped = (_task: unknown, { signal }: RunContext): Promise<Execution> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(stopped(stopReason(signal) ?? 'shutdown'))));

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
    expect(await world.deliver(change(job))).toEqual({ kind: 'malformed', message: expect.stringContaining(message) });
    expect(world.steps).toEqual([]);
    expect([await row(), await world.refusal()]).toEqual([undefined, undefined]);
    expect(reported()).toMatchObject({ end: 'malformed', taskId: undefined, message: expect.stringContaining(message) });
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

describe('step 3, look up in the ledger', () => {
  it('answers a finished task with the same bytes, whatever expiry and revocation say now', async () => {
    const first = await world.deliver(job);
    world.clock.advance(2 * HOUR_MS);
    await world.revoke(LEASE.jti);
    world.steps.length = 0;
    expect(await world.deliver(job, { jobId: 'again' })).toEqual({ ...first, replayed: true });
    expect(world.steps).toEqual([]);
    expect(reported()).toMatchObject({ end: 'SUCCESS', replayed: true });
  });

  it('runs a task again that has failed', async () => {
    world.host.run = async () => ({ kind: 'outcome', outcome: failure('EXECUTION_FAILED', 'not yet') });
    expect(await world.deliver(job)).toMatchObject({ status: 'FAILURE', message: 'not yet' });
    world.host.run = async () => DONE;
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
  });

  it('refuses a manifest whose task_id is used', async () => {
    await world.deliver(job);
    const other = await world.job({ inputs: { source_path: '/data/c.txt', destination_path: '/data/d.txt' } });
    expect(await world.deliver(other, { jobId: 'other' })).toMatchObject({ kind: 'refused', code: 'EXECUTION_FAILED' });
    expect(await row()).toMatchObject({ state: 'success', manifestSha256: LEASE.manifest_sha256 });
  });

  it('is busy while this process or a living one works on the task', async () => {
    await world.claimElsewhere('worker-2');
    await world.presence.beat('worker-2', 1000);
    expect(await world.deliver(job)).toEqual({ kind: 'busy', why: 'another worker works on the task' });
    let second: unknown;
    world.clock.advance(2000);
    world.host.run = async () => {
      second = await world.deliver(job, { jobId: 'second' });
      return DONE;
    };
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(second).toEqual({ kind: 'busy', why: 'this process already works on the task' });
    expect(world.reports.map(({ end, takeovers }) => [end, takeovers])).toEqual([
      ['busy', 0],
      ['busy', 0],
      ['SUCCESS', 1],
    ]);
  });

  it('rebuilds a ledger that was lost, then runs', async () => {
    world.ledger.lose();
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(world.steps).toEqual(['recoverLedger', 'recall', 'execute', 'journal:SUCCESS', 'ledger:SUCCESS']);
  });
});

describe('step 3, look up in the journal', () => {
  it('does nothing again that was done so long ago that only this is known, whatever the lease says', { tags: ['FE-37', 'FE-39'] }, async () => {
    world.host.recalls.set(MANIFEST.task_id, { kind: 'trimmed', manifestSha256: LEASE.manifest_sha256, closedAt: Date.UTC(2024, 1, 3, 4) });
    const end = await world.deliver(job);
    expect(end).toMatchObject({
      kind: 'answered',
      code: 'EXECUTION_FAILED',
      message: 'this task was done on 2024-02-03, and its result is no longer kept; nothing was done now',
    });
    expect(world.steps).toEqual(['recall', 'journal:FAILURE', 'ledger:FAILURE']);
    world.host.recalls.set(MANIFEST.task_id, { kind: 'trimmed', manifestSha256: OTHER_MANIFEST, closedAt: 1 });
    expect(await world.deliver(await world.job({}, { jti: 'another' }))).toMatchObject({
      kind: 'refused',
      message: 'task_id already used for another manifest',
    });
    expect(world.steps).not.toContain('execute');
  });

  it('recalls a SUCCESS that the ledger has lost, and writes it back', async () => {
    const result = await world.signed(DONE);
    world.host.recalls.set(MANIFEST.task_id, { kind: 'finished', manifestSha256: LEASE.manifest_sha256, result });
    world.clock.advance(2 * HOUR_MS);
    expect(await world.deliver(job)).toMatchObject({ kind: 'answered', status: 'SUCCESS', result, replayed: true });
    expect(world.steps).toEqual(['recall', 'ledger:SUCCESS']);
  });

  it.each(['finished', 'open', 'doubtful'] as const)('refuses a task_id that the journal has under another manifest: %s', async (kind) => {
    const known = { manifestSha256: OTHER_MANIFEST, jti: LEASE.jti, result: 'never read' };
    world.host.recalls.set(MANIFEST.task_id, { kind, ...known });
    expect(await world.deliver(job)).toMatchObject({ kind: 'refused', message: 'task_id already used for another manifest' });
    expect(world.steps).toEqual(['recall']);
    expect(await row()).toMatchObject({ owner: '' });
  });

  it('answers a doubtful end again under its lease, and runs once more under another', async () => {
    const result = await world.signed({ kind: 'outcome', outcome: failure('EXECUTION_FAILED', 'outcome unknown') });
    world.host.recalls.set(MANIFEST.task_id, { kind: 'doubtful', manifestSha256: LEASE.manifest_sha256, jti: LEASE.jti, result });
    expect(await world.deliver(job)).toMatchObject({ status: 'FAILURE', message: 'outcome unknown', result, replayed: true });
    expect(await world.deliver(await world.job({}, { jti: 'lease-2' }))).toMatchObject({ status: 'SUCCESS' });
    expect(world.steps).toEqual(['recall', 'ledger:FAILURE', 'recall', 'execute', 'journal:SUCCESS', 'ledger:SUCCESS']);
  });

  describe('an open intent', () => {
    beforeEach(() => {
      world.host.recalls.set(MANIFEST.task_id, { kind: 'open', manifestSha256: LEASE.manifest_sha256 });
      world.host.recover = passGate;
    });

    it('is finished, whatever expiry, revocation and a cancel before the claim say now', async () => {
      world.clock.advance(2 * HOUR_MS);
      await world.revoke(LEASE.jti);
      await world.authorities.refresh();
      await world.ledger.cancel(MANIFEST.task_id, world.clock.now());
      expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS', replayed: false });
      expect(world.steps).toEqual(['recall', 'recover', 'journal:SUCCESS', 'ledger:SUCCESS']);
    });

    it('is finished although a cancel comes while it is', async () => {
      world.host.recover = async (_task, { signal, gate }) => {
        world.inFlight.stop({ taskId: MANIFEST.task_id }, 'cancelled');
        return signal.aborted ? stopped('cancelled') : (gate() ?? DONE);
      };
      expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    });

    it.each<StopReason>(['shutdown', 'lock-lost'])('is left as it is: %s', async (reason) => {
      world.host.recover = async (_task, { gate }) => {
        world.inFlight.stop({}, reason);
        return gate() ?? DONE;
      };
      expect(await world.deliver(job)).toEqual({ kind: 'interrupted', reason });
    });

    it('is left as it is when the lock on the job is no longer fresh', async () => {
      expect(await world.deliver(job, { lockIsFresh: () => false })).toEqual({ kind: 'interrupted', reason: 'lock-lost' });
    });

    it('is classified, and never begun again, from the fifth takeover on', async () => {
      for (let claims = 0; claims < 5; claims += 1) await world.claimElsewhere('worker-1', 'file:job-1');
      expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
      expect(world.steps).toEqual(['recall', 'classify', 'journal:SUCCESS', 'ledger:SUCCESS']);
    });
  });
});

describe('a task that takes its workers down with it', () => {
  it.each<[number, object]>([
    [4, { status: 'SUCCESS' }],
    [5, { status: 'FAILURE', code: 'RESOURCE_EXHAUSTED', message: 'the worker was lost 5 times while it ran this task' }],
  ])('after %i takeovers', async (takeovers, expected) => {
    for (let claims = 0; claims < takeovers; claims += 1) await world.claimElsewhere('worker-1', 'file:job-1');
    expect(await world.deliver(job)).toMatchObject(expected);
    expect(reported()).toMatchObject({ takeovers });
    expect(world.steps.includes('execute')).toBe(takeovers < 5);
  });
});

describe('a cancel', () => {
  it('before the claim ends the task, which never runs', async () => {
    await world.ledger.cancel(MANIFEST.task_id, world.clock.now());
    expect(await world.deliver(job)).toMatchObject({ status: 'FAILURE', code: 'EXECUTION_FAILED', message: 'cancelled' });
    expect(world.steps).toEqual(['recall', 'journal:FAILURE', 'ledger:FAILURE']);
    expect(await row()).toMatchObject({ state: 'failure', cancelRequested: false });
  });

  it('before the intent is seen at the gate', async () => {
    world.host.run = async (_task, { gate }) => {
      world.inFlight.stop({ taskId: MANIFEST.task_id }, 'cancelled');
      return gate() ?? DONE;
    };
    expect(await world.deliver(job)).toMatchObject({ status: 'FAILURE', message: 'cancelled' });
  });

  it('after the intent comes too late: the effect is recorded', async () => {
    world.host.run = async (_task, { gate }) => {
      const closed = gate();
      world.inFlight.stop({ taskId: MANIFEST.task_id }, 'cancelled');
      return closed ?? DONE;
    };
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(await row()).toMatchObject({ state: 'success' });
  });
});

describe('step 4, authorize', () => {
  it('refuses a lease that has expired, at the very second', async () => {
    world.clock.advance(HOUR_MS);
    const end = { status: 'FAILURE', code: 'LEASE_EXPIRED', message: 'the lease expired at 2027-01-15T09:00:00.000Z' };
    expect(await world.deliver(job)).toMatchObject(end);
    expect(world.steps).toEqual(['recall', 'journal:FAILURE', 'ledger:FAILURE']);
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

describe('step 5, execute', () => {
  it.each<[string, () => void | Promise<void>, object]>([
    ['expiry', () => world.clock.advance(HOUR_MS), { code: 'LEASE_EXPIRED' }],
    ['revocation', () => world.revoke(LEASE.jti).then(() => world.authorities.refresh()), { code: 'INVALID_LEASE' }],
    ['shutdown', () => world.inFlight.stop({}, 'shutdown'), { kind: 'interrupted', reason: 'shutdown' }],
    ['a lost lock', () => world.inFlight.stop({ jobIds: ['job-1'] }, 'lock-lost'), { kind: 'interrupted', reason: 'lock-lost' }],
  ])('looks once more before the intent: %s', async (_what, happen, expected) => {
    let effects = 0;
    world.host.run = async (_task, { gate }) => {
      await happen();
      const closed = gate();
      if (closed === undefined) effects += 1;
      return closed ?? DONE;
    };
    expect(await world.deliver(job)).toMatchObject(expected);
    expect(effects).toBe(0);
  });

  it('starts no effect when the lock on the job is no longer fresh', async () => {
    world.host.run = passGate;
    expect(await world.deliver(job, { lockIsFresh: () => false })).toEqual({ kind: 'interrupted', reason: 'lock-lost' });
    expect(await row()).toMatchObject({ state: 'running', owner: '' });
  });

  it('stops a run at its wall-clock limit', async () => {
    world.host.executor = { ...world.host.executor, maxRunMs: 1 };
    world.host.run = untilStopped;
    expect(await world.deliver(job)).toMatchObject({ code: 'RESOURCE_EXHAUSTED', message: 'the task ran longer than its wall-clock limit' });
  });

  it('gives the claim back on shutdown, and the next worker runs the task', async () => {
    world.host.run = (task, run) => {
      queueMicrotask(() => world.inFlight.stop({}, 'shutdown'));
      return untilStopped(task, run);
    };
    expect(await world.deliver(job)).toEqual({ kind: 'interrupted', reason: 'shutdown' });
    expect(reported()).toMatchObject({ end: 'interrupted', message: 'shutdown', code: undefined });
    world.host.run = async () => DONE;
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(reported()).toMatchObject({ takeovers: 0 });
  });

  it('gives the claim back when the executor says that another process may still act', async () => {
    world.host.run = async () => ({ kind: 'busy', why: 'another worker has just begun it' });
    expect(await world.deliver(job)).toEqual({ kind: 'busy', why: 'another worker has just begun it' });
    expect(await row()).toMatchObject({ owner: '' });
  });

  it('keeps the claim of a run that crashed, so that the next one is a takeover', async () => {
    const error = new Error('a fault of the executor');
    world.host.run = () => Promise.reject(error);
    expect(await world.deliver(job)).toEqual({ kind: 'crashed', error });
    expect(reported()).toMatchObject({ end: 'crashed', error, taskId: 'task-1' });
    expect(await row()).toMatchObject({ state: 'running', owner: 'worker-1' });
    world.host.run = async () => DONE;
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(reported()).toMatchObject({ takeovers: 1 });
  });
});

describe('step 6, record', () => {
  it('says nothing when a later claim has the task', async () => {
    world.host.run = async () => {
      await world.claimElsewhere('worker-2', 'file:job-1');
      return DONE;
    };
    expect(await world.deliver(job)).toEqual({ kind: 'interrupted', reason: 'stale' });
    expect(reported()).toMatchObject({ end: 'interrupted', message: 'stale' });
  });

  it('rebuilds a ledger that was lost while the task ran', async () => {
    world.host.run = async () => {
      world.ledger.lose();
      return DONE;
    };
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(await row()).toMatchObject({ state: 'success' });
    expect(world.steps).toEqual(['recall', 'execute', 'journal:SUCCESS', 'ledger:SUCCESS', 'recoverLedger', 'ledger:SUCCESS']);
  });

  it('crashes on an output that cannot be signed, and the journal stays open', async () => {
    world.host.run = async () => ({ kind: 'outcome', outcome: { status: 'SUCCESS', output: { text: '\ud800' }, error: null } });
    expect(await world.deliver(job)).toMatchObject({ kind: 'crashed' });
    expect(world.steps).toEqual(['recall', 'execute']);
  });
});

describe('step 7, settle', () => {
  const settled = (data: unknown, tries = { started: 1, allowed: 1 }) => {
    const { delivery, running } = world.fetched(data);
    return processTask(delivery, running, tries, world.deps);
  };

  it('tells the queue what the end means', async () => {
    expect(await settled(job)).toMatchObject({ kind: 'complete', value: { status: 'SUCCESS' } });
    expect(await settled(undefined)).toMatchObject({ kind: 'fail', recoverable: false });
    expect(await settled(await world.job({ task_id: 'task-1' }), { started: 3, allowed: 1 })).toEqual({ kind: 'delay', ms: 4000 });
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
    expect(await settled(job)).toMatchObject({ kind: 'complete' });
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
