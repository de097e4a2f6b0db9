import { expect, it } from 'vitest';
import { testClock } from '../../../../fixtures/authority/world.ts';
import { createKernelTwin } from '../../cli/world-kernel.ts';
import { createPlanTwin } from '../../cli/world-plans.ts';
import { startMcp } from '../mcp-rig.ts';

const HOUR = 3_600_000;

it('a plan is submitted over MCP for later, and before others, under a lease that counts from then', async () => {
  const clock = testClock();
  const [plans, kernel] = [createPlanTwin(clock.now), createKernelTwin(clock)];
  const audit = { append: async () => undefined as never };
  await using mcp = await startMcp({ clock, plans: async () => plans.door, kernel: async () => kernel.door, audit: async () => audit });
  const notBefore = new Date(Math.ceil((clock.now() + HOUR) / 1000) * 1000);
  const envelope = { payload: { steps: [] } };
  const said = await mcp.call('submit_plan', { envelope, sign: true, not_before: notBefore.toISOString(), priority: 3 });
  expect(said).toMatchObject({ isError: false, answer: { receipt: 'accepted' } });
  expect(plans.when).toEqual([{ notBefore: notBefore.getTime(), priority: 3 }]);
  expect(kernel.asked.plans).toEqual([{ notBeforeS: notBefore.getTime() / 1000 }]);
  for (const wrong of [{ not_before: 'tomorrow' }, { priority: -1 }])
    expect(await mcp.call('submit_plan', { envelope, sign: true, ...wrong })).toMatchObject({ isError: true, answer: { code: 'INVALID_ARGUMENT' } });
});
