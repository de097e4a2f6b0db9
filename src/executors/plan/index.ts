/** The plan executor's core: pure, no clock, no randomness, no I/O (plan-executor.md; docs/plan-protocol.md). */
export { toPayloadResult, toResult } from './adapters.ts';
export { advance, type PlanJournal, replay } from './advance.ts';
export { CODES, type CoreCode } from './codes.ts';
export { type DescribedPlan, type DescribedStep, describePlan, policiesOf } from './describe-plan.ts';
export { type Linked, linkPlan } from './link-plan.ts';
export { planLogic } from './plan-logic.ts';
export { envelopeProblems } from './problems.ts';
export type { DefinitionLookup } from './registry.ts';
export { startPlan } from './start-plan.ts';
