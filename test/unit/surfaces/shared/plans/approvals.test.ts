import { describe, expect, it } from 'vitest';
import { WritError } from '../../../../../src/core/errors.ts';
import type { PlanView } from '../../../../../src/core/ports/index.ts';
import { shownApprovals } from '../../../../../src/surfaces/shared/plans/approvals.ts';
import { approvalDeskTwin, memoryApprovals } from '../../../../fixtures/approvals/memory-store.ts';

const NOW = 1_800_000_000_000;
const idOf = (number: number): string => number.toString(16).padStart(64, '0');

/** Plans 1 to `count`, each of which has asked one question. */
function asking(count: number, view: (id: string) => PlanView['state'] | undefined) {
  const store = memoryApprovals();
  for (let number = 1; number <= count; number += 1) {
    const of = {
      planSha256: idOf(number),
      path: '0',
      manifestSha256: idOf(0),
      role: 'approve',
      question: '?',
      askedAt: NOW,
      until: NOW + number * 1000,
    } as const;
    store.ask({ taskId: `s-${number}`, ...of });
  }
  const plans = {
    view: async (id: string): Promise<PlanView | undefined> => {
      const state = view(id);
      return state && { id, state, stepsDone: 0, current: undefined, cancelRequested: false, error: undefined, result: undefined, updated: NOW };
    },
  };
  return { store, services: { approvals: approvalDeskTwin(() => NOW, 'ops', store), plans } };
}

describe('questions as they are shown', () => {
  it('leave out those of plans that have ended, however many there are', async () => {
    const { services } = asking(120, (id) => (Number.parseInt(id, 16) % 2 === 0 ? 'failure' : 'running'));
    const shown = await shownApprovals(undefined, services);
    expect(shown.map(({ step }) => step)).toEqual(Array.from({ length: 60 }, (_, at) => `s-${2 * at + 1}`));
  });

  it('are withdrawn where one plan is asked about, but for what was decided', async () => {
    const { store, services } = asking(1, () => 'failure');
    expect(await shownApprovals(idOf(1), services)).toMatchObject([{ state: 'withdrawn' }]);
    store.decide('s-1', { state: 'approved', at: NOW, by: 'ada', note: undefined, data: undefined });
    expect(await shownApprovals(idOf(1), services)).toMatchObject([{ state: 'approved', decided_by: 'ada' }]);
  });

  it('are what the kernel says where nobody sees whether a plan has ended', async () => {
    const { services } = asking(1, () => undefined);
    expect(await shownApprovals(undefined, services)).toMatchObject([{ state: 'open' }]);
    for (const code of ['REDIS_UNAVAILABLE', 'INVALID_RESULT'] as const) {
      const plans = { view: () => Promise.reject(new WritError(code, 'no')) };
      expect(await shownApprovals(undefined, { ...services, plans })).toMatchObject([{ state: 'open' }]);
    }
    const broken = { view: () => Promise.reject(new Error('a fault')) };
    await expect(shownApprovals(undefined, { ...services, plans: broken })).rejects.toThrow('a fault');
  });
});
