import type { PlannedEffect, PlannedStep } from '../../../core/ports/index.ts';
import { workflowName } from '../../../core/workflow-name.ts';
import type { Call } from '../command.ts';
import { countEffects, type EffectCounts, effectText } from '../plan/effect-text.ts';
import { readPlan } from '../plan/read-plan.ts';
import { table } from '../text/table.ts';
import { counted } from '../text/values.ts';

export interface PlanCheckFlags {
  readonly linked?: boolean;
}

/** `writ plan check`: what a plan would do. Exit 1: a step can reach a tool that is not bound on this host. */
export async function runPlanCheck(call: Call, flags: PlanCheckFlags, file: string): Promise<number> {
  const { envelope, planSha256, preview } = await readPlan(call, file);
  const steps = preview.outline(envelope);
  const counts = countEffects(steps);
  const exit = counts.unbound > 0 ? 1 : 0;
  if (flags.linked === true) {
    await call.output.answer(envelope, () => JSON.stringify(envelope));
    return exit;
  }
  const value = { plan_id: planSha256, steps: steps.map(stepLine), ...counts };
  await call.output.answer(value, () => [`plan ${planSha256}`, tree(steps), countsText(counts)].join('\n'));
  return exit;
}

const COLUMNS = [{ title: 'step' }, { title: 'does' }, { title: 'policies' }] as const;

function tree(steps: readonly PlannedStep[]): string {
  const rows = steps.map(({ depth, type, ref, operation, policies, effect }) => [
    `${'  '.repeat(depth)}${type} ${ref}${operation === undefined ? '' : ` ${operation}`}`,
    effect === undefined ? '' : effectText(effect),
    policies.join(', '),
  ]);
  return table(COLUMNS, rows);
}

function countsText({ tools, once, irreversible, unbound }: EffectCounts): string {
  const effects = once === 0 ? 'without an effect' : `${once} with an effect, ${irreversible} of which cannot be taken back`;
  const missing = unbound === 0 ? '' : `; ${unbound} cannot run here`;
  return `${counted(tools, 'tool step')}: ${effects}${missing}. Nothing was run.`;
}

function stepLine({ path, depth, type, ref, operation, policies, effect }: PlannedStep): Record<string, unknown> {
  return {
    path,
    depth,
    type,
    ref,
    workflow: workflowName(type, ref),
    ...(operation === undefined ? {} : { operation }),
    policies,
    ...(effect === undefined ? {} : { effect: effectLine(effect) }),
  };
}

function effectLine(effect: PlannedEffect): Record<string, unknown> {
  return effect.kind === 'unbound' ? { kind: 'unbound', code: 'TOOL_UNAVAILABLE' } : { ...effect };
}
