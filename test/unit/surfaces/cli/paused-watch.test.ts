import { describe, expect, it } from 'vitest';
import type { QueueControl } from '../../../../src/core/ports/index.ts';
import { createWorld } from './world.ts';
import { planIdOfEnvelope, signedEnd } from './world-plans.ts';

const ENVELOPE = { payload: { steps: [{ type: 'tool', ref: 'writ.file', params: {} }] } };
const ID = planIdOfEnvelope(ENVELOPE);

/** A queue that is paused when it is looked at first, and goes on at the second look; `then` is what happens at the third. */
function resumed(queue: string, then: () => Promise<void>): QueueControl {
  let looks = 0;
  const paused = (): readonly string[] => (looks < 2 ? [queue, 'search'] : []);
  return {
    list: async () => [],
    async paused() {
      looks += 1;
      if (looks === 3) await then();
      return paused();
    },
    pausedAround: async () => paused()[0],
    set: async () => ({ queue, paused: true, changed: true }),
  };
}

describe('who waits at a terminal', () => {
  it('is told that a queue is paused and that it goes on, and of no other queue', async () => {
    const world = await createWorld();
    const control = resumed('file', () => world.work('held'));
    const said = await world.cli(['push', '-', '--sign', '--wait'], JSON.stringify(world.manifest('held')), { queues: async () => control });
    expect(said).toMatchObject({ code: 0, err: 'the queue file is paused: `writ queue resume file` lets it go on\nthe queue file goes on\n' });
  });

  it('is told the same with --json, in lines', async () => {
    const world = await createWorld();
    const control = resumed('file', () => world.work('held'));
    const { lines, err } = await world.cli(['push', '-', '--sign', '--wait', '--json'], JSON.stringify(world.manifest('held')), {
      queues: async () => control,
    });
    expect(lines.filter((line) => 'paused' in line)).toEqual([
      { queue: 'file', paused: true },
      { queue: 'file', paused: false },
    ]);
    expect(err).toBe('');
  });

  it('is told of the queue in which a plan waits', async () => {
    const world = await createWorld();
    const end = async (): Promise<void> => {
      world.clock.ms += 1000;
      world.plans.show(ID, { state: 'success', stepsDone: 1, result: signedEnd(ID) });
    };
    const control = resumed('plan', end);
    const { err } = await world.cli(['plan', 'run', '-', '--wait'], JSON.stringify(ENVELOPE), { queues: async () => control });
    expect(err).toContain('the queue plan is paused: `writ queue resume plan` lets it go on\nthe queue plan goes on\n');
  });

  it('sees it in `plan show`, too, and the rest where no queue can be asked', async () => {
    const world = await createWorld();
    world.plans.show(ID, {});
    const queues = async () => resumed('plan', async () => undefined);
    expect((await world.cli(['plan', 'show', ID], '', { queues })).out).toMatch(/paused queue +plan; `writ queue resume plan` lets it go on/);
    expect((await world.cli(['plan', 'show', ID, '--json'], '', { queues })).lines[0]).toMatchObject({ paused_queue: 'plan' });
    expect(await world.cli(['plan', 'show', ID])).toMatchObject({ code: 3, err: '', out: expect.not.stringContaining('paused') });
  });
});
