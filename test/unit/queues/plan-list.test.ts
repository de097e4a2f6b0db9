import { describe, expect, it } from 'vitest';
import { listPlans } from '../../../queues/plan-list.ts';
import type { PlanFilter } from '../../../src/contracts/index.ts';
import type { KnownPlan, PlanView } from '../../../src/core/ports/index.ts';

const idOf = (n: number): string => n.toString(16).padStart(64, '0');
const known = (n: number, state: KnownPlan['state']): KnownPlan => ({ id: idOf(n), state, stepsDone: n, error: undefined, updated: n });
const JOURNAL = [known(9, 'running'), known(8, 'failure'), known(7, 'success')];

/** Jobs 1 to 5 wait, 8 is a failed plan that was retried, 9 runs. */
const deps = {
  jobs: { open: async () => [9, 8, 5, 4, 3, 2, 1].map(idOf) },
  views: {
    read: async (id: string): Promise<PlanView | undefined> =>
      id === idOf(1)
        ? undefined
        : {
            id,
            state: 'success',
            stepsDone: 4,
            current: { path: '2#1\ud800', tool: 't', operation: 'o', taskId: 'x' },
            cancelRequested: true,
            error: undefined,
            result: undefined,
            updated: 5000,
          },
  },
  histories: {
    list: ({ state }: PlanFilter, { cursor }: { readonly cursor?: string }) => ({
      plans: cursor === undefined ? JOURNAL.filter((plan) => (state ?? plan.state) === plan.state) : [],
    }),
    states: (ids: readonly string[]) => new Map(JOURNAL.filter(({ id }) => ids.includes(id)).map(({ id, state }) => [id, state])),
    known: (id: string) => JOURNAL.find((plan) => plan.id === id),
    history: () => undefined,
    kept: () => undefined,
  },
};

async function pages(filter: PlanFilter, limit: number): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listPlans(filter, { limit, ...(cursor === undefined ? {} : { cursor }) }, deps);
    seen.push(...page.plans.map(({ plan_id, state }) => `${Number.parseInt(plan_id, 16)} ${state}`));
    cursor = page.next;
  } while (cursor !== undefined);
  return seen;
}

describe('a list of plans', () => {
  const WAIT = ['8 waiting', '5 waiting', '4 waiting', '3 waiting', '2 waiting', '1 waiting'];

  it.each([1, 2, 4, 6, 100])('shows what waits, then what the journal knows, each once, in pages of %i', async (limit) => {
    expect(await pages({}, limit)).toEqual([...WAIT, '9 running', '7 success']);
  });

  it('has each state alone: a failed plan that was retried waits', async () => {
    expect(await pages({ state: 'waiting' }, 4)).toEqual(WAIT);
    expect(await pages({ state: 'running' }, 4)).toEqual(['9 running']);
    expect(await pages({ state: 'failure' }, 4)).toEqual([]);
    expect(await pages({ error_code: 'X' }, 4)).toEqual(['9 running', '7 success']);
    expect(await pages({ state: 'waiting', since: new Date(6000).toISOString() }, 9)).toEqual([]);
  });

  it('believes the journal for the state of a plan that runs, and its view for how far it is', async () => {
    const { plans } = await listPlans({ state: 'running' }, { limit: 1 }, deps);
    expect(plans).toEqual([
      { plan_id: idOf(9), state: 'running', steps_done: 9, current: '2#1\ufffd', cancel_requested: true, updated_at: new Date(9).toISOString() },
    ]);
  });

  it('has only what waits where no journal lies', async () => {
    const page = await listPlans({}, { limit: 100 }, { ...deps, histories: undefined });
    expect([page.plans.length, page.next]).toEqual([7, undefined]);
    await expect(listPlans({}, { limit: 1, cursor: 'x' }, { ...deps, histories: undefined })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
