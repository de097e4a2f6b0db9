import { beforeEach, describe, expect, it } from 'vitest';
import type { TaskJob } from '../../../src/contracts/index.ts';
import { WritError } from '../../../src/core/errors.ts';
import type { Execution } from '../../../src/core/outcome.ts';
import type { RunContext } from '../../../src/core/ports/index.ts';
import { stopped, stopReason } from '../../../src/core/stopped.ts';
import { LEASE, MANIFEST } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, type World } from './world.ts';

const HOUR_MS = 3_600_000;

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

  it('gives back the claim of a run that crashed, and counts it as a crash, never as a lost worker', async () => {
    const error = new Error('a fault of the executor');
    world.host.run = () => Promise.reject(error);
    for (const crashes of [1, 2, 3, 4]) {
      expect(await world.deliver(job)).toEqual({ kind: 'crashed', error });
      expect(reported()).toMatchObject({ end: 'crashed', error, taskId: 'task-1' });
      expect(await row()).toMatchObject({ state: 'running', owner: '', crashes, takeovers: 0 });
    }
    world.host.run = async () => DONE;
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(reported()).toMatchObject({ takeovers: 0 });
    expect(await row()).toMatchObject({ crashes: 0 });
  });

  it('ends a task at its sixth delivery when five crashed, with a sentence of their own', async () => {
    world.host.run = () => Promise.reject(new TypeError('is no function'));
    for (let deliveries = 0; deliveries < 5; deliveries += 1) await world.deliver(job);
    expect(await world.deliver(job)).toMatchObject({
      status: 'FAILURE',
      code: 'EXECUTION_FAILED',
      message: 'by the count in Redis, 5 deliveries of this task crashed in the worker, whose log says why',
    });
    expect(await row()).toMatchObject({ state: 'failure', crashes: 0, takeovers: 0 });
  });

  it('classifies the open intent of a task whose deliveries crash, and does not begin it again', async () => {
    world.host.run = () => Promise.reject(new TypeError('is no function'));
    for (let deliveries = 0; deliveries < 5; deliveries += 1) await world.deliver(job);
    world.host.recalls.set('task-1', { kind: 'open', manifestSha256: LEASE.manifest_sha256 });
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(world.steps).toContain('classify');
  });

  it.each([
    ['Redis', new WritError('REDIS_UNAVAILABLE', 'away')],
    ['full Redis', new WritError('REDIS_FULL', 'full')],
    ['a disk', new WritError('STORAGE_UNAVAILABLE', 'full')],
    ['the host', Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })],
  ])('counts nothing against a task that met an outage of %s, however often', async (_what, error) => {
    world.host.run = () => Promise.reject(error);
    for (let deliveries = 0; deliveries < 20; deliveries += 1) expect(await world.deliver(job)).toEqual({ kind: 'crashed', error });
    expect(await row()).toMatchObject({ state: 'running', owner: '', crashes: 0, takeovers: 0, result: undefined });
    world.host.run = async () => DONE;
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
  });

  it('counts nothing when Redis is away for the claim to be given back as well', async () => {
    world.host.run = () => Promise.reject(new WritError('REDIS_UNAVAILABLE', 'away'));
    const { release } = world.ledger;
    world.deps = { ...world.deps, ledger: { ...world.deps.ledger, release: () => Promise.reject(new WritError('REDIS_UNAVAILABLE', 'away')) } };
    for (let deliveries = 0; deliveries < 20; deliveries += 1) expect(await world.deliver(job)).toMatchObject({ kind: 'crashed' });
    expect(await row()).toMatchObject({ owner: 'worker-1', crashes: 0, takeovers: 0 });
    world.deps = { ...world.deps, ledger: { ...world.deps.ledger, release } };
    world.host.run = async () => DONE;
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
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
