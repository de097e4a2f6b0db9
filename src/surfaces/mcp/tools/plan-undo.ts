import { z } from 'zod';
import { PlanUndoAnswer, Sha256Hex } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import type { PlanView } from '../../../core/ports/index.ts';
import { heldPlan } from '../../shared/paused/held.ts';
import { planUndoAnswer, undoPlan } from '../../shared/plans/undo.ts';
import { hasEnded, isEndBefore } from '../../shared/plans/view.ts';
import { waitForPlan } from '../../shared/plans/wait.ts';
import { tool } from '../tool.ts';
import { operatorServices, pauseServices } from './outcome.ts';
import { waitMs, waitS } from './shapes.ts';

export const undoPlanTool = tool({
  name: 'undo_plan',
  title: 'Take back what a plan did',
  description:
    'The last step first, each signed by the kernel on the result that it takes back, as a plan that goes on by itself; stops at a step that cannot be taken back, and ' +
    'says so. Asked again it is the same undo, and tells what each step has come to. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ plan_id: Sha256Hex.meta({ description: 'The plan that is taken back.' }), wait_s: waitS }),
  output: PlanUndoAnswer,
  async run(call) {
    const { input, services, caller, signal } = call;
    const { plans, preview } = await services.plans();
    const undoServices = { ...(await operatorServices(call)), plans, preview };
    const entry = { surface: 'mcp', who: caller.name, action: 'plan.undo', subject: input.plan_id } as const;
    const undo = await audited(await services.audit(), entry, () => undoPlan(input.plan_id, undoServices));
    const timeoutMs = waitMs(input.wait_s, services.maxWaitS);
    const isStale = (view: PlanView): boolean => isEndBefore(view, undo.before);
    const view = timeoutMs > 0 ? await waitForPlan(undo.undoId, plans, { timeoutMs, signal, isStale }) : undefined;
    const held = view === undefined || hasEnded(view) ? {} : await heldPlan(view, await pauseServices(call));
    return { ...(await planUndoAnswer(input.plan_id, undo, plans, `/v1/plans/${undo.undoId}`)), ...held };
  },
});
