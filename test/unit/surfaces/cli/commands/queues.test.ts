import { describe, expect, it } from 'vitest';
import { QueueList, QueueSwitch } from '../../../../../src/contracts/index.ts';
import { WritError } from '../../../../../src/core/errors.ts';
import type { QueueControl, QueueFigures } from '../../../../../src/core/ports/index.ts';
import { createWorld } from '../world.ts';

/** Two queues that can be switched. */
function twoQueues(): QueueControl {
  const paused = new Set<string>();
  const figures = (queue: string): QueueFigures => ({
    ...{ queue, waiting: 3, active: 1, delayed: 0, completed: 9, failed: 0, workers: 2 },
    ...{ paused: paused.has(queue), oldestWaitingMs: 65_000 },
  });
  return {
    list: async () => ['file', 'plan'].map(figures),
    paused: async () => [...paused],
    pausedAround: async () => undefined,
    async set(queue, action) {
      if (!['file', 'plan'].includes(queue)) throw new WritError('NOT_FOUND', `this pool has no queue "${queue}"; it has file, plan`, { field: 'queue' });
      const was = paused.has(queue);
      if (action === 'pause') paused.add(queue);
      else paused.delete(queue);
      return { queue, paused: action === 'pause', changed: was !== (action === 'pause') };
    },
  };
}

describe('writ queue', () => {
  const world = async () => {
    const { cli, audit } = await createWorld();
    const control = twoQueues();
    return { audit, writ: (...args: string[]) => cli(['queue', ...args], '', { queues: async () => control }) };
  };

  it('lists every queue on a line, with what is paused', async () => {
    const { writ } = await world();
    await writ('pause', 'plan');
    const { code, out } = await writ('list');
    expect(code).toBe(0);
    expect(out).toMatch(/file +3 +1 min 5 s +1/);
    expect(out).toMatch(/plan \(paused\) +3/);
    expect(QueueList.parse((await writ('list', '--json')).lines[0]).queues.map(({ queue, paused }) => [queue, paused])).toEqual([
      ['file', false],
      ['plan', true],
    ]);
  });

  it('says what a pause means now, and that it was so before', async () => {
    const { writ } = await world();
    expect(await writ('pause', 'file')).toMatchObject({ code: 0, out: 'file is paused; 3 jobs waiting, 1 running, 2 workers\n' });
    expect((await writ('pause', 'file')).out).toContain('file is paused, as before');
    expect((await writ('resume', 'file')).out).toContain('file is not paused; 3 jobs waiting');
    expect(QueueSwitch.parse((await writ('resume', 'file', '--json')).lines[0])).toEqual({ queue: 'file', paused: false, changed: false });
  });

  it('names the queues that there are, and exits 1', async () => {
    const { writ } = await world();
    expect(await writ('pause', 'fiel')).toMatchObject({ code: 1, err: expect.stringContaining('it has file, plan') });
    expect((await writ('pause')).code).toBe(2);
  });
});
