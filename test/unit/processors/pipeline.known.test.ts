import { beforeEach, describe, expect, it } from 'vitest';
import type { TaskJob } from '../../../src/contracts/index.ts';
import { type Execution, failure, type StopReason } from '../../../src/core/outcome.ts';
import type { RunContext } from '../../../src/core/ports/index.ts';
import { stopped } from '../../../src/core/stopped.ts';
import { LEASE, MANIFEST } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, type World } from './world.ts';

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
    expect(await world.deliver(job, { failures: 1 })).toMatchObject({ status: 'SUCCESS' });
  });

  it('refuses a manifest whose task_id is used', async () => {
    await world.deliver(job);
    const other = await world.job({ inputs: { source_path: '/data/c.txt', destination_path: '/data/d.txt' } });
    expect(await world.deliver(other, { jobId: 'other' })).toMatchObject({ kind: 'refused', code: 'EXECUTION_FAILED' });
    expect(await row()).toMatchObject({ state: 'success', manifestSha256: LEASE.manifest_sha256 });
  });

  it('is busy while this process or a living one works on the task', async () => {
    const parked = { kind: 'busy', why: 'another delivery works on the task', parkedMs: expect.any(Number) as number };
    await world.claimElsewhere('worker-2');
    await world.presence.beat('worker-2', 1000);
    expect(await world.deliver(job)).toEqual(parked);
    let second: unknown;
    world.clock.advance(2000);
    world.host.run = async () => {
      second = await world.deliver(job, { jobId: 'second' });
      return DONE;
    };
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
    expect(second).toEqual(parked);
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
    expect(await world.deliver(await world.job({}, { jti: 'lease-2' }), { failures: 1 })).toMatchObject({ status: 'SUCCESS' });
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
      for (let claims = 0; claims < 5; claims += 1) await world.claimElsewhere(`worker-${claims + 2}`, 'file:job-1');
      expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
      expect(world.steps).toEqual(['recall', 'classify', 'journal:SUCCESS', 'ledger:SUCCESS']);
    });
  });
});

describe('a task that takes its workers down with it', () => {
  it.each<[number, object]>([
    [4, { status: 'SUCCESS' }],
    [5, { status: 'FAILURE', code: 'RESOURCE_EXHAUSTED', message: 'by the count in Redis, the worker was lost 5 times while it ran this task' }],
  ])('after %i takeovers', async (takeovers, expected) => {
    for (let claims = 0; claims < takeovers; claims += 1) await world.claimElsewhere(`worker-${claims + 2}`, 'file:job-1');
    expect(await world.deliver(job)).toMatchObject(expected);
    expect(reported()).toMatchObject({ takeovers });
    expect(world.steps.includes('execute')).toBe(takeovers < 5);
  });
});

describe('a journal that was exchanged under its worker', () => {
  const EXCHANGED = 'the journal of this process was exchanged (nothing stands at its path)';

  it('lets nothing begin that it would have to record, and the task waits', async () => {
    world.host.run = passGate;
    world.deps = { ...world.deps, exchanged: () => EXCHANGED };
    expect(await world.deliver(job)).toEqual({ kind: 'busy', why: EXCHANGED });
    expect(world.steps).toEqual(['recall', 'execute']);
    expect(await row()).toMatchObject({ state: 'running', owner: '' });
    world.deps = { ...world.deps, exchanged: () => undefined };
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS', replayed: false });
  });

  it('lets no open intent be finished either', async () => {
    world.host.recalls.set(MANIFEST.task_id, { kind: 'open', manifestSha256: LEASE.manifest_sha256 });
    world.host.recover = passGate;
    world.deps = { ...world.deps, exchanged: () => EXCHANGED };
    expect(await world.deliver(job)).toEqual({ kind: 'busy', why: EXCHANGED });
  });

  it('does not hold up what remembers nothing, a search', async () => {
    const { memory: _, ...executor } = world.host.executor;
    world.deps = { ...world.deps, exchanged: () => EXCHANGED, executorOf: () => ({ ...executor, execute: passGate }) };
    expect(await world.deliver(job)).toMatchObject({ status: 'SUCCESS' });
  });
});

describe('a cancel', () => {
  it('before the claim ends the task, which never runs', async () => {
    await world.ledger.cancel(MANIFEST.task_id, world.clock.now());
    expect(await world.deliver(job)).toMatchObject({ status: 'FAILURE', code: 'EXECUTION_FAILED', message: 'cancelled' });
    expect(world.steps).toEqual(['recall', 'recall', 'journal:FAILURE', 'ledger:FAILURE']);
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
