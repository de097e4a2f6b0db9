import { beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../../processors/claim.ts';
import { failure } from '../../../src/core/outcome.ts';
import { LEASE, MANIFEST } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});

/** Claims the task with a job of this id, and ends nothing. */
const claimBy = async (jobId?: string) => claim(await world.authenticated(await world.job(), jobId === undefined ? {} : { jobId }));
const recordElsewhere = async (result: string, status: 'SUCCESS' | 'FAILURE' = 'SUCCESS'): Promise<void> => {
  await world.claimElsewhere('worker-2');
  await world.ledger.record({ taskId: MANIFEST.task_id, epoch: 1, status, errorCode: undefined, result, now: world.clock.now() });
};

describe('a granted claim', () => {
  it('names the epoch, the executor and no takeover', async () => {
    const task = { manifest: MANIFEST, manifestSha256: LEASE.manifest_sha256, authority: { jti: 'lease-1', exp: LEASE.exp, kid: 'kernel-1' }, epoch: 1 };
    expect(await claimBy()).toMatchObject({ task, executor: world.host.executor, takeovers: 0, cancelled: false });
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ state: 'running', owner: 'worker-1', jobKey: 'file:job-1', exp: LEASE.exp });
  });

  it('is the very context that it was asked with, grown', async () => {
    const context = await world.authenticated(await world.job());
    expect(await claim(context)).toBe(context);
  });

  it('counts how often the same job was claimed without a record', async () => {
    for (const takeovers of [0, 1, 2]) {
      const claimed = await claimBy();
      expect(claimed).toMatchObject({ takeovers, task: { epoch: takeovers + 1 } });
      if ('running' in claimed) world.inFlight.end(claimed.running);
    }
  });

  it('says that a cancel came before it', async () => {
    await world.ledger.cancel(MANIFEST.task_id, world.clock.now());
    expect(await claimBy()).toMatchObject({ cancelled: true, takeovers: 0 });
  });

  it('is given again after a FAILURE', async () => {
    await recordElsewhere(await world.signed({ kind: 'outcome', outcome: failure('EXECUTION_FAILED', 'no') }), 'FAILURE');
    expect(await claimBy()).toMatchObject({ task: { epoch: 2 } });
  });
});

describe('a task that is being worked on', () => {
  it('is busy for the second delivery of one process, which leaves the ledger alone', async () => {
    await claimBy('first');
    expect(await claimBy('second')).toEqual({ kind: 'busy', why: 'this process already works on the task' });
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ epoch: 1, jobKey: 'file:first' });
  });

  it('is busy while its owner lives', async () => {
    await world.presence.beat('worker-2', 1000);
    await world.claimElsewhere('worker-2');
    expect(await claimBy()).toEqual({ kind: 'busy', why: 'another worker works on the task' });
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ epoch: 1, owner: 'worker-2' });
  });

  it('is taken over from an owner whose heartbeat has ended', async () => {
    await world.presence.beat('worker-2', 1000);
    await world.claimElsewhere('worker-2');
    world.clock.advance(1001);
    expect(await claimBy()).toMatchObject({ takeovers: 1, task: { epoch: 2 } });
  });
});

describe('a finished task', () => {
  it('is answered with the very bytes that are stored', async () => {
    const result = await world.signed(DONE);
    await recordElsewhere(result);
    expect(await claimBy()).toEqual({ kind: 'answered', status: 'SUCCESS', code: undefined, message: '', result, replayed: true });
  });

  it('is claimed anew when the stored result does not verify, and the row is gone', async () => {
    await recordElsewhere((await world.signed(DONE)).replace('"done":true', '"done":null'));
    expect(await claimBy()).toMatchObject({ task: { epoch: 1 }, takeovers: 0 });
  });
});

describe('a task_id of another manifest', () => {
  it('is refused, and the row stays as it was', async () => {
    const other = { ...MANIFEST, inputs: { source_path: '/data/c.txt', destination_path: '/data/d.txt' } };
    await world.claimElsewhere('worker-2');
    const end = await claim(await world.authenticated(await world.job(other)));
    expect(end).toMatchObject({ kind: 'refused', code: 'EXECUTION_FAILED', message: 'task_id already used for another manifest' });
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ manifestSha256: LEASE.manifest_sha256, owner: 'worker-2' });
    expect(await world.refusal()).toBe('result' in end ? end.result : undefined);
  });
});

describe('a ledger that was lost', () => {
  it('is rebuilt first, and asked again', async () => {
    world.ledger.lose();
    expect(await claimBy()).toMatchObject({ task: { epoch: 1 } });
    expect(world.steps).toEqual(['recoverLedger']);
  });

  it('that stays lost leaves the task busy after five rounds', async () => {
    world.ledger.lose();
    let rebuilds = 0;
    const context = await world.authenticated(await world.job());
    const recoverLedger = async (): Promise<void> => {
      rebuilds += 1;
    };
    const deps = { ...world.deps, recoverLedger };
    expect(await claim({ ...context, deps })).toEqual({ kind: 'busy', why: 'the ledger did not settle' });
    expect(rebuilds).toBe(5);
  });
});
