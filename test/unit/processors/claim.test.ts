import { beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../../processors/claim.ts';
import { record } from '../../../processors/record.ts';
import { failure } from '../../../src/core/outcome.ts';
import { LEASE, MANIFEST } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});

/** A job that waits for the end of its task. */
const PARKED = { kind: 'busy', why: 'another delivery works on the task', parkedMs: expect.any(Number) as number };

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

  it('counts the workers that were lost with the same job', async () => {
    for (const takeovers of [0, 1, 2]) {
      await world.claimElsewhere(`worker-${takeovers + 2}`, 'file:job-1');
      const claimed = await claimBy();
      expect(claimed).toMatchObject({ takeovers: 2 * takeovers + 1, crashes: 0, task: { epoch: 2 * takeovers + 2 } });
      if ('running' in claimed) world.inFlight.end(claimed.running);
    }
  });

  it('of the same job by the same process counts no lost worker: its claim could not be given back', async () => {
    for (const epoch of [1, 2, 3]) {
      const claimed = await claimBy();
      expect(claimed).toMatchObject({ takeovers: 0, crashes: 0, task: { epoch } });
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
  it('is busy for the second delivery of one process, which leaves the row alone', async () => {
    await claimBy('first');
    expect(await claimBy('second')).toEqual(PARKED);
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ epoch: 1, jobKey: 'file:first' });
  });

  it('is busy while its owner lives', async () => {
    await world.presence.beat('worker-2', 1000);
    await world.claimElsewhere('worker-2');
    expect(await claimBy()).toEqual(PARKED);
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ epoch: 1, owner: 'worker-2' });
  });

  it('is claimed by who has waited for long, where the journal of this host has its SUCCESS: Redis came back as it was before', async () => {
    await world.presence.beat('worker-2', 1000);
    await world.claimElsewhere('worker-2');
    const come = async (started: number) => claim(await world.authenticated(await world.job(), { jobId: 'waits', started }));
    for (const started of [1, 9]) expect(await come(started)).toEqual(PARKED);
    const known = { manifestSha256: LEASE.manifest_sha256 };
    world.host.recalls.set(MANIFEST.task_id, {
      kind: 'finished',
      ...known,
      result: await world.signed({ kind: 'outcome', outcome: failure('EXECUTION_FAILED', 'no') }),
    });
    expect(await come(9)).toEqual(PARKED);
    world.host.recalls.set(MANIFEST.task_id, { kind: 'finished', ...known, result: await world.signed(DONE) });
    expect(await come(3)).toEqual(PARKED);
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ epoch: 1, owner: 'worker-2' });
    expect(await come(4)).toMatchObject({ task: { epoch: 2 } });
  });

  it('is not granted to a second delivery of the process that works on it when the ledger has lost it, nor to the same job again', async () => {
    await claimBy('first');
    for (const jobId of ['second', 'first']) {
      world.ledger.lose();
      await world.ledger.markGeneration('again');
      expect(await claimBy(jobId)).toEqual(PARKED);
      expect(await world.ledger.row(MANIFEST.task_id)).toBeUndefined();
    }
  });

  it('is given back when another delivery of the process was granted it in between', async () => {
    const context = await world.authenticated(await world.job());
    const inFlight = { ...world.inFlight, isClaimed: () => false, claimTask: () => false };
    expect(await claim({ ...context, deps: { ...world.deps, inFlight } })).toEqual({ kind: 'busy', why: 'this process already works on the task' });
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ state: 'running', owner: '', crashes: 0 });
  });

  it('hears of a cancel while it is being claimed', async () => {
    const context = await world.authenticated(await world.job());
    const asked = claim(context);
    world.inFlight.stop({ taskId: MANIFEST.task_id }, 'cancelled');
    await asked;
    expect(context.running.controller.signal.reason).toBe('cancelled');
  });

  it('is taken over from an owner whose heartbeat has ended', async () => {
    await world.presence.beat('worker-2', 1000);
    await world.claimElsewhere('worker-2');
    world.clock.advance(1001);
    expect(await claimBy()).toMatchObject({ takeovers: 1, task: { epoch: 2 } });
  });
});

describe('a finished task', () => {
  it('is answered at once, also while another delivery of this process still has it in hand', async () => {
    const first = await claimBy('first');
    if (!('task' in first)) throw new Error('the first is granted');
    await record(first, DONE);
    expect(await claimBy('second')).toMatchObject({ kind: 'answered', status: 'SUCCESS', replayed: true });
  });

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

/** The row "record, before settle" of docs/protocol.md, section 6. */
describe('the job of a task that has failed', () => {
  const come = async (options: Parameters<World['authenticated']>[1]) => claim(await world.authenticated(await world.job(), options));
  async function fails(options: Parameters<World['authenticated']>[1], outcome = failure('EXECUTION_FAILED', 'cancelled')): Promise<void> {
    const granted = await come(options);
    if (!('task' in granted)) throw new Error(`it is granted: ${granted.kind}`);
    await record(granted, { kind: 'outcome', outcome });
    world.inFlight.end(granted.running);
  }
  const told = { kind: 'answered', status: 'FAILURE', message: 'cancelled', replayed: true };

  it('tells that FAILURE when it comes back unasked, and wakes those who wait for it', async () => {
    await fails({ jobId: 'first' });
    await world.ledger.park(MANIFEST.task_id, 'file:parked', 1, world.clock.now());
    for (const started of [1, 2, 7]) expect(await come({ jobId: 'first', started })).toMatchObject(told);
    expect(world.steps).toContain('promote:file:parked');
    expect(await world.ledger.row(MANIFEST.task_id)).toMatchObject({ state: 'failure', epoch: 1 });
  });

  it.each([
    ['was run again by somebody', { jobId: 'first', started: 1, failures: 1 }],
    ['was run again on the board, which leaves the count of its starts', { jobId: 'first', started: 2, failures: 1 }],
    ['is another one', { jobId: 'second', started: 2 }],
  ])('is claimed anew when it %s', async (_how, options) => {
    await fails({ jobId: 'first' });
    expect(await come(options)).toMatchObject({ task: { epoch: 2 } });
  });

  it('is cancelled when it comes back after an end that spoke of its lease alone: the cancel came before that end', async () => {
    const granted = await come({ jobId: 'first' });
    if (!('task' in granted)) throw new Error(`it is granted: ${granted.kind}`);
    expect(await world.ledger.cancel(MANIFEST.task_id, world.clock.now())).toBe('requested');
    await record(granted, { kind: 'outcome', outcome: failure('LEASE_EXPIRED', 'the lease expired') });
    world.inFlight.end(granted.running);
    expect(await come({ jobId: 'first', started: 2 })).toMatchObject({ cancelled: true });
  });

  it('is known beside the other jobs of the task that have failed since', async () => {
    for (const jobId of ['first', 'second', 'third']) await fails({ jobId });
    for (const jobId of ['third', 'first', 'second']) expect(await come({ jobId, started: 2 })).toMatchObject(told);
  });

  it('is claimed anew when only its own lease had run out', async () => {
    await fails({ jobId: 'first' }, failure('LEASE_EXPIRED', 'too late'));
    expect(await come({ jobId: 'first', started: 2 })).toMatchObject({ task: { epoch: 2 } });
  });
});

/** Rows of the table of crash points in docs/plan-protocol.md, section 3. */
describe('a step of a plan that has failed', () => {
  const step = { ...MANIFEST, task_id: `s-${'a'.repeat(64)}`, provenance: { plan_sha256: 'b'.repeat(64), step: '0' } };
  const claimStep = async (jobId: string, started = 1) => claim(await world.authenticated(await world.job(step), { jobId, started }));
  const fails = async (code: 'TOOL_FAILED' | 'LEASE_EXPIRED'): Promise<void> => {
    const first = await claimStep('first');
    if (!('task' in first)) throw new Error('the first is granted');
    await record(first, { kind: 'outcome', outcome: failure(code, 'no') });
    world.inFlight.end(first.running);
  };

  it('is answered with that FAILURE when its job comes back: the plan may be at the next attempt', async () => {
    await fails('TOOL_FAILED');
    for (const [jobId, started] of [
      ['first', 2],
      ['second', 1],
    ] as const)
      expect(await claimStep(jobId, started)).toMatchObject({ kind: 'answered', status: 'FAILURE', code: 'TOOL_FAILED', replayed: true });
  });

  it('runs under another lease when only its own had run out', async () => {
    await fails('LEASE_EXPIRED');
    expect(await claimStep('first')).toMatchObject({ task: { epoch: 2 } });
  });

  it('runs when nobody has signed the FAILURE', async () => {
    await fails('TOOL_FAILED');
    const { claim: ask } = world.deps.ledger;
    const context = await world.authenticated(await world.job(step), { jobId: 'first', started: 2 });
    const forged: typeof ask = async (request) => {
      const answer = await ask(request);
      return answer.kind === 'failed' ? { ...answer, result: answer.result.replace('"no"', '"forged"') } : answer;
    };
    expect(await claim({ ...context, deps: { ...context.deps, ledger: { ...context.deps.ledger, claim: forged } } })).toMatchObject({ task: { epoch: 2 } });
  });
});

describe('a task_id of another manifest', () => {
  const other = { ...MANIFEST, inputs: { source_path: '/data/c.txt', destination_path: '/data/d.txt' } };

  it('is refused when its end is signed, and the row stays as it was', async () => {
    await recordElsewhere(await world.signed(DONE));
    const before = await world.ledger.row(MANIFEST.task_id);
    const end = await claim(await world.authenticated(await world.job(other)));
    expect(end).toMatchObject({ kind: 'refused', code: 'EXECUTION_FAILED', message: 'task_id already used for another manifest' });
    expect(await world.ledger.row(MANIFEST.task_id)).toEqual(before);
    expect(await world.refusal()).toBe('result' in end ? end.result : undefined);
  });

  it("is none where the row is this very manifest's when it is looked at: Redis was emptied in between", async () => {
    const { claim: ask } = world.deps.ledger;
    const context = await world.authenticated(await world.job());
    let asked = 0;
    const slow: typeof ask = async (request) => {
      asked += 1;
      if (asked > 1) return ask(request);
      await recordElsewhere(await world.signed({ kind: 'outcome', outcome: failure('EXECUTION_FAILED', 'no') }), 'FAILURE');
      return { kind: 'conflict' };
    };
    expect(await claim({ ...context, deps: { ...context.deps, ledger: { ...context.deps.ledger, claim: slow } } })).toMatchObject({ task: { epoch: 2 } });
    expect(await world.refusal()).toBeUndefined();
  });

  it('that only runs proves nothing, because nobody has signed its row: it is waited for, and nothing is signed', async () => {
    await world.claimElsewhere('worker-2');
    const busy = { kind: 'busy', why: 'another manifest with this task_id is at work' };
    // A dead worker wakes nobody.
    expect(await claim(await world.authenticated(await world.job(other)))).toEqual(busy);
    await world.presence.beat('worker-2', 60_000);
    expect(await claim(await world.authenticated(await world.job(other), { started: 8 }))).toEqual({ ...busy, parkedMs: expect.any(Number) as number });
    expect(await world.refusal()).toBeUndefined();
  });

  it('that runs for longer than can be waited for is refused with what is known', async () => {
    await world.claimElsewhere('worker-2');
    const end = await claim(await world.authenticated(await world.job(other), { started: 9 }));
    expect(end).toMatchObject({ kind: 'refused', code: 'EXECUTION_FAILED', message: expect.stringContaining('nobody has signed its end') as string });
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
