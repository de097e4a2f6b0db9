import { describe, expect, it } from 'vitest';
import { lifecycle } from '../../../src/core/lifecycle.ts';
import { type Execution, success } from '../../../src/core/outcome.ts';
import type { RunContext, Task } from '../../../src/core/ports/index.ts';
import { createExchangeableExecutor, type Generation } from '../../../src/executors/exchange.ts';

const task = { manifest: { task_id: 't' } } as unknown as Task;
const context = {} as RunContext;

/** Generations that tell their starts and stops, and whose tasks end when they are told to. */
function createRig() {
  const steps: string[] = [];
  const ends: (() => void)[] = [];
  const generation = (name: string, start?: () => void): Generation => ({
    executor: {
      capabilities: new Set(['SEARCH_FILES']),
      maxRunMs: name.length,
      execute: () =>
        new Promise<Execution>((resolve) => {
          ends.push(() => resolve({ kind: 'outcome', outcome: success({ name }) }));
        }),
    },
    life: lifecycle(
      () => {
        steps.push(`${name} starts`);
        start?.();
      },
      () => void steps.push(`${name} stops`),
    ),
  });
  return { steps, ends, generation };
}

describe('an executor that is exchanged while it runs', () => {
  it('ends a task in the generation that it began in, which is stopped behind it', async () => {
    const { steps, ends, generation } = createRig();
    const executor = createExchangeableExecutor(generation('old'));
    await executor.start();
    const first = executor.execute(task, context);
    const { commit } = await executor.prepare(generation('newer'));
    expect([steps, executor.maxRunMs]).toEqual([['old starts', 'newer starts'], 3]);
    commit();
    const second = executor.execute(task, context);
    expect([steps.length, executor.maxRunMs]).toEqual([2, 5]);
    for (const end of ends) end();
    expect([await first, await second]).toEqual(['old', 'newer'].map((name) => ({ kind: 'outcome', outcome: success({ name }) })));
    await executor.stop();
    expect(steps.toSorted()).toEqual(['newer starts', 'newer stops', 'old starts', 'old stops']);
  });

  it('stays as it is when the next generation does not start, and when it is given back', async () => {
    const { steps, generation } = createRig();
    await using executor = createExchangeableExecutor(generation('old'));
    await executor.start();
    const refused = executor.prepare(
      generation('bad', () => {
        throw new Error('no program');
      }),
    );
    await expect(refused).rejects.toThrow('no program');
    const { abandon } = await executor.prepare(generation('other'));
    await abandon();
    expect([steps, executor.maxRunMs]).toEqual([['old starts', 'bad starts', 'other starts', 'other stops'], 3]);
  });

  it('takes nothing over before it runs, and ends both when it was stopped between', async () => {
    const { steps, generation } = createRig();
    const executor = createExchangeableExecutor(generation('old'));
    await expect(executor.prepare(generation('new'))).rejects.toMatchObject({ code: 'WRONG_STATE' });
    await executor.start();
    const { commit } = await executor.prepare(generation('new'));
    await executor.stop();
    commit();
    await expect.poll(() => steps).toEqual(['old starts', 'new starts', 'old stops', 'new stops']);
  });
});
