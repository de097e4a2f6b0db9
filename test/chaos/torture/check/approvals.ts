import type { ApprovalView } from '../../../../src/surfaces/client/index.ts';
import type { Jump, Model, PlanAsk, Word } from '../model.ts';
import type { World } from '../world.ts';
import { readingsOf } from './clock.ts';
import { endOfStep } from './steps.ts';

/**
 * The decision of a question is what was first acknowledged, and never another; nobody decided what nobody said, nor too
 * late; no step behind a question without a yes has run.
 */
export function judgeApprovals({ plans, jumps }: Model, world: World): readonly string[] {
  return plans.flatMap((plan) => {
    const rows = world.approvals.get(plan.id) ?? [];
    return [...rows.flatMap((row) => decided(plan, row, jumps)), ...lost(plan, rows), ...behind(plan, rows, world)];
  });
}

function decided({ name, words }: PlanAsk, { step, state, until }: ApprovalView, jumps: readonly Jump[]): readonly string[] {
  const mine = words.filter((word) => word.step === step);
  const taken = mine.filter(isAcknowledged);
  const others = taken.filter(({ outcome, word }) => outcome.state !== state || word !== state);
  const faults = others.map(({ word, outcome }) => `${name}: ${word} was acknowledged as ${outcome.state}, and the kernel has ${state}`);
  const isDecided = state === 'approved' || state === 'denied';
  if (isDecided && !mine.some(({ word, outcome }) => word === state && outcome.kind !== 'refused'))
    faults.push(`${name}: the kernel has ${state}, which nobody said`);
  // The kernel decides, by its own clock.
  const isLate = ({ askedAt, answeredAt = Number.POSITIVE_INFINITY }: Word): boolean => readingsOf(jumps, askedAt, answeredAt).least > Date.parse(until);
  if (isDecided && mine.every(isLate)) faults.push(`${name}: ${state} was taken after the deadline ${until}`);
  return faults;
}

function isAcknowledged(word: Word): word is Word & { readonly outcome: { readonly kind: 'acknowledged'; readonly state: string } } {
  return word.outcome.kind === 'acknowledged';
}

function lost({ name, words }: PlanAsk, rows: readonly ApprovalView[]): readonly string[] {
  return words
    .filter((word) => isAcknowledged(word) && !rows.some(({ step }) => step === word.step))
    .map(({ word }) => `${name}: ${word} was acknowledged, and the kernel has no such question`);
}

function behind({ id, name, steps }: PlanAsk, rows: readonly ApprovalView[], world: World): readonly string[] {
  return steps.flatMap((step) => {
    if (step.behind === undefined) return [];
    const isOpen = rows.some(({ path, state }) => path === step.behind && state === 'approved');
    const end = endOfStep(world, id, step.path);
    if (!isOpen && end !== 'none') return [`${name}: step ${step.path} is ${end}, and nobody has approved step ${step.behind}`];
    return [];
  });
}
