import { describe, expect, it } from 'vitest';
import { createLocalSteps, type LocalSteps } from '../../../processors/local-steps.ts';
import { createSlots } from '../../../processors/slots.ts';
import { ONE_SHARD } from '../../../queues/shards.ts';
import type { TaskJob } from '../../../src/contracts/index.ts';
import type { Execution } from '../../../src/core/outcome.ts';
import type { TaskRow } from '../../../src/core/ports/index.ts';
import { createWorld, DONE, type World } from './world.ts';

const PLAN = 'a'.repeat(64);
const TIMES = { lockMs: 9000, renewMs: 3000 };

/** A worker of the queue `file` with two slots, of which steps take one, whose queue takes what comes unless a test says otherwise. */
async function localWorld() {
  const world = await createWorld();
  const slots = createSlots(2);
  slots.open();
  const left: object[] = [];
  const queue = { takesAll: true };
  const jobs = {
    takesAll: async () => queue.takesAll,
    async leave(job: object) {
      left.push(job);
    },
  };
  const local = createLocalSteps({
    queues: [{ queue: 'file', prefix: '{writ}', slots, deps: world.deps }],
    shards: ONE_SHARD,
    jobs,
    presence: world.presence,
    times: TIMES,
  });
  const job = await world.job({ provenance: { plan_sha256: PLAN, step: '0' } });
  return { world, slots, left, queue, local, job };
}

function begin(local: LocalSteps, job: TaskJob, signal = new AbortController().signal, lockIsFresh = () => true) {
  const run = local.take('file', job.manifest.task_id);
  if (run === undefined) throw new Error('no slot is free');
  return run(job, { signal, lockIsFresh });
}

/** The executor runs until it is told how it ends. */
function held(world: World): { end(): void; readonly begun: Promise<void> } {
  let end: (execution: Execution) => void = () => undefined;
  let tell: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    tell = resolve;
  });
  world.host.run = (_task, run) => {
    tell();
    return new Promise((resolve) => {
      end = () => resolve(run.gate() ?? DONE);
    });
  };
  return { begun, end: () => end(DONE) };
}

const row = (state: TaskRow['state'], owner: string): TaskRow => ({ state, owner }) as TaskRow;

describe('a step that runs without a job', () => {
  it('goes through the pipeline of its queue, in one of its slots, and leaves its job behind', async () => {
    const { world, slots, left, local, job } = await localWorld();
    const { end, left: lies } = await begin(local, job).ended;
    expect(end).toMatchObject({ kind: 'answered', status: 'SUCCESS', replayed: false });
    await lies;
    expect(left).toMatchObject([{ queue: 'file', prefix: '{writ}', job, told: { kind: 'complete', value: { status: 'SUCCESS' } } }]);
    expect(await world.ledger.row(job.manifest.task_id)).toMatchObject({ state: 'success', jobKey: `file:t_${job.manifest.task_id}`, epoch: 1 });
    expect(world.steps).not.toContain(`wake:${PLAN}`);
    expect([world.inFlight.size, world.inFlight.progressCount]).toEqual([0, 0]);
    await slots.idle();
  });

  it('is run only where its queue is served, takes what comes, and has a slot', async () => {
    const { local, queue, job } = await localWorld();
    const { task_id: taskId } = job.manifest;
    expect(await Promise.all([local.mayRun('file', taskId), local.mayRun('search', taskId)])).toEqual([true, false]);
    queue.takesAll = false;
    expect(await local.mayRun('file', taskId)).toBe(false);
    expect(local.take('search', taskId)).toBeUndefined();
    expect(local.take('file', taskId)).toBeTypeOf('function');
    expect(local.take('file', taskId)).toBeUndefined();
  });

  it("asks for the lock of its plan's job before an effect, and stops with it", async () => {
    const { world, local, job, left } = await localWorld();
    const { begun, end } = held(world);
    const run = begin(local, job, undefined, () => false);
    await begun;
    end();
    expect((await run.ended).end).toEqual({ kind: 'interrupted', reason: 'lock-lost' });
    const again = held(world);
    const stopped = begin(local, job, AbortSignal.abort('shutdown'));
    await again.begun;
    again.end();
    expect((await stopped.ended).end).toEqual({ kind: 'interrupted', reason: 'shutdown' });
    expect(left).toEqual([]);
    expect(await world.ledger.row(job.manifest.task_id)).toMatchObject({ state: 'running', owner: '' });
  });

  it('lives by a heartbeat of its own when its plan is parked, and its end wakes the plan', async () => {
    const { world, local, job } = await localWorld();
    const { task_id: taskId } = job.manifest;
    const { begun, end } = held(world);
    let isFresh = true;
    const run = begin(local, job, undefined, () => isFresh);
    await begun;
    expect(await local.isHeld(taskId, row('running', 'worker-1'))).toBe(false);
    await run.detach();
    isFresh = false;
    expect(await local.isHeld(taskId, row('running', 'worker-1'))).toBe(true);
    expect(await local.isHeld(taskId, row('running', ''))).toBe(false);
    end();
    expect((await run.ended).end).toMatchObject({ kind: 'answered', status: 'SUCCESS' });
    expect(world.steps).toContain(`wake:${PLAN}`);
    expect(await local.isHeld(taskId, row('running', 'worker-1'))).toBe(false);
  });

  it.each(['before', 'while'] as const)(
    'starts no effect when the lock of its plan ran out %s its own heartbeat began: another may have taken it over',
    async (when) => {
      const { world, local, job } = await localWorld();
      const { begun, end } = held(world);
      let isFresh = when === 'while';
      const run = begin(local, job, undefined, () => isFresh);
      await begun;
      const { beat } = world.presence;
      world.presence.beat = async (...args) => {
        isFresh = false;
        await beat(...args);
      };
      await run.detach();
      end();
      expect((await run.ended).end).toEqual({ kind: 'interrupted', reason: 'lock-lost' });
    },
  );

  it('starts no effect when its heartbeat is old', async () => {
    const { world, local, job } = await localWorld();
    const { begun, end } = held(world);
    const run = begin(local, job);
    await begun;
    await run.detach();
    world.clock.advance(TIMES.lockMs);
    end();
    expect((await run.ended).end).toEqual({ kind: 'interrupted', reason: 'lock-lost' });
  });
});
