import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_SAME_FAULTS } from '../../../processors/repeated-faults.ts';
import { BOUNDS, type TaskJob } from '../../../src/contracts/index.ts';
import { WritError } from '../../../src/core/errors.ts';
import { success } from '../../../src/core/outcome.ts';
import { LEASE, MANIFEST } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, type World } from './world.ts';

let world: World;
let job: TaskJob;
beforeEach(async () => {
  world = await createWorld();
  job = await world.job();
});

const row = () => world.ledger.row(MANIFEST.task_id);

/** Deliveries until one does not crash, at most twice as many as a fault may take. */
async function untilEnded(): Promise<{ readonly crashes: number; readonly end: Awaited<ReturnType<World['deliver']>> }> {
  for (let crashes = 0; ; crashes += 1) {
    const end = await world.deliver(job);
    if (end.kind !== 'crashed' || crashes > 2 * MAX_SAME_FAULTS) return { crashes, end };
  }
}

/** Where a delivery may break after the claim, and what the journal says then. */
const BREAKS: readonly (readonly [where: string, journal: 'nothing' | 'open' | 'finished', message: RegExp, set: (error: Error) => void])[] = [
  [
    'executing',
    'nothing',
    /^by the count in Redis, 5 deliveries of this task crashed in the worker, whose log says why$/,
    (error) => (world.host.run = () => Promise.reject(error)),
  ],
  [
    'recovering',
    'open',
    /^the same fault came back 6 times \(TypeError\); nobody can tell whether the task had its effect$/,
    (error) => (world.host.recover = () => Promise.reject(error)),
  ],
  [
    'closing the journal',
    'nothing',
    /^the same fault came back 6 times \(TypeError\)$/,
    (error) => Object.assign(world.host.executor.memory ?? {}, { conclude: () => Promise.reject(error) }),
  ],
  [
    'recalling',
    'nothing',
    /^the same fault came back 6 times \(TypeError\); nobody can tell whether the task had its effect$/,
    (error) => Object.assign(world.host.executor.memory ?? {}, { recall: () => Promise.reject(error) }),
  ],
  [
    'recording a SUCCESS of the journal',
    'finished',
    /^the same fault came back 6 times \(TypeError\); the task has ended on its host, and its result cannot be recorded$/,
    (error) => {
      const { record } = world.deps.ledger;
      const deps = {
        ...world.deps,
        ledger: { ...world.deps.ledger, record: (request: Parameters<typeof record>[0]) => refuseSuccess(request, error, record) },
      };
      world.deps = deps;
    },
  ],
];

function refuseSuccess<R extends { readonly status: string }, A>(request: R, error: Error, record: (request: R) => Promise<A>): Promise<A> {
  return request.status === 'SUCCESS' ? Promise.reject(error) : record(request);
}

async function remember(journal: (typeof BREAKS)[number][1]): Promise<void> {
  const known = { manifestSha256: LEASE.manifest_sha256 };
  if (journal === 'open') world.host.recalls.set(MANIFEST.task_id, { kind: 'open', ...known });
  if (journal === 'finished') world.host.recalls.set(MANIFEST.task_id, { kind: 'finished', ...known, result: await world.signed(DONE) });
}

describe('a fault that comes back unchanged with every delivery', () => {
  it.each(BREAKS)('when %s ends the task with what is known of its effect', async (where, journal, message, set) => {
    await remember(journal);
    set(new TypeError('of no business to a producer: /srv/secret'));
    const { crashes, end } = await untilEnded();
    expect(crashes).toBe(MAX_SAME_FAULTS - 1);
    expect(end).toMatchObject({ kind: 'answered', status: 'FAILURE', code: 'EXECUTION_FAILED', message: expect.stringMatching(message) });
    expect(await row()).toMatchObject({ state: 'failure', owner: '', errorCode: 'EXECUTION_FAILED' });
    // Only an end that the journal can be told of is told to it.
    expect(world.steps.filter((step) => step === 'journal:FAILURE')).toEqual(where === 'executing' ? ['journal:FAILURE'] : []);
  });

  it('as a result that no ledger keeps does, is not concluded in the journal before', async () => {
    world.host.run = async () => ({ kind: 'outcome', outcome: success({ text: 'x'.repeat(BOUNDS.result) }) });
    const { crashes, end } = await untilEnded();
    expect([crashes, end]).toEqual([
      MAX_SAME_FAULTS - 1,
      expect.objectContaining({
        code: 'EXECUTION_FAILED',
        message: 'by the count in Redis, 5 deliveries of this task crashed in the worker, whose log says why',
      }),
    ]);
    expect(world.steps.filter((step) => step.startsWith('journal:'))).toEqual(['journal:FAILURE']);
  });

  it('of a tool that may have been called leaves its outcome unknown', async () => {
    job = await world.job({ capability_id: 'TOOL_CALL', inputs: { tool: 't', operation: 'op', params: {} } });
    world.host.recalls.set(MANIFEST.task_id, { kind: 'open', manifestSha256: (await world.authenticated(job)).manifestSha256 });
    world.host.executor = { ...world.host.executor, capabilities: new Set(['TOOL_CALL']) };
    world.host.recover = () => Promise.reject(new WritError('INTERNAL', 'attempt 3 is not open'));
    expect((await untilEnded()).end).toMatchObject({
      code: 'TOOL_OUTCOME_UNKNOWN',
      message: 'the same fault came back 6 times (INTERNAL: attempt 3 is not open); nobody can tell whether the task had its effect',
    });
  });

  it.each(BREAKS)('when %s can be cancelled meanwhile', async (_where, journal, _message, set) => {
    await remember(journal);
    set(new TypeError('again'));
    expect(await world.deliver(job)).toMatchObject({ kind: 'crashed' });
    expect(await world.ledger.cancel(MANIFEST.task_id, world.clock.now())).toBe('requested');
    expect(await world.deliver(job)).toMatchObject({
      status: 'FAILURE',
      code: 'EXECUTION_FAILED',
      message: expect.stringMatching(/^cancelled(?: after a fault \(TypeError\)|$)/),
    });
    expect(await row()).toMatchObject({ state: 'failure', cancelRequested: false });
  });

  it.each([
    new WritError('REDIS_UNAVAILABLE', 'away'),
    new WritError('STORAGE_UNAVAILABLE', 'the disk is full'),
    Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' }),
  ])('but is an outage (%s) is waited for, however long it takes', async (outage) => {
    world.host.run = () => Promise.reject(outage);
    for (let n = 0; n < 3 * MAX_SAME_FAULTS; n += 1) expect(await world.deliver(job)).toMatchObject({ kind: 'crashed', error: outage });
  });

  it('before the claim answers the job, and leaves the row of the task alone', async () => {
    world.deps = { ...world.deps, ledger: { ...world.deps.ledger, claim: () => Promise.reject(new WritError('INTERNAL', 'claims-n.lua answered code 99')) } };
    const { crashes, end } = await untilEnded();
    const message = 'the same fault came back 6 times (INTERNAL: claims-n.lua answered code 99)';
    expect([crashes, end]).toEqual([MAX_SAME_FAULTS - 1, expect.objectContaining({ kind: 'refused', code: 'EXECUTION_FAILED', message })]);
    expect(await world.refusal()).toContain(message);
    expect([await row(), world.steps]).toEqual([undefined, []]);
  });

  it('but has gone for once is counted anew', async () => {
    await remember('open');
    const fail = (): never => {
      throw new TypeError('again');
    };
    world.host.recover = async () => fail();
    for (let n = 1; n < MAX_SAME_FAULTS; n += 1) expect(await world.deliver(job)).toMatchObject({ kind: 'crashed' });
    world.host.recover = async () => {
      throw new RangeError('another');
    };
    expect(await world.deliver(job)).toMatchObject({ kind: 'crashed' });
    world.host.recover = async () => fail();
    for (let n = 1; n < MAX_SAME_FAULTS; n += 1) expect(await world.deliver(job)).toMatchObject({ kind: 'crashed' });
    expect(await world.deliver(job)).toMatchObject({ status: 'FAILURE' });
  });
});
