import { setTimeout as delay } from 'node:timers/promises';
import type { ResultEnvelope } from '../../../src/contracts/index.ts';
import { patient } from '../../support/patience.ts';
import { envelopeOf, type LinkedPlan, type PlanRig } from '../../support/plan-rig.ts';
import type { Scene } from './scene.ts';

/** A plan that was run, and what it left on the disk. */
export interface Run {
  readonly scene: Scene;
  readonly plan: LinkedPlan;
  /** Undefined when it did not end. */
  readonly envelope: ResultEnvelope | undefined;
  readonly tree: Readonly<Record<string, string>>;
}

const GIVE_UP_MS = patient(120_000);
const ASK_AGAIN_MS = patient(8_000);
const PUSH_AGAIN_MS = 80;

/** Makes the scene's files, and a plan of this name of its steps. */
export function linkScene(scene: Scene, name: string, plans: PlanRig): Promise<LinkedPlan> {
  scene.reset();
  return plans.link(envelopeOf(scene.steps, { id: name, options: { maxSteps: 100 } }));
}

/** As a producer: pushes, and pushes again when the answer does not come, because Redis may have lost it. */
export async function finish(scene: Scene, plan: LinkedPlan, plans: PlanRig): Promise<Run> {
  const giveUp = performance.now() + GIVE_UP_MS;
  let envelope: ResultEnvelope | undefined;
  while (envelope === undefined && performance.now() < giveUp) {
    const receipt = await plans.push(plan).catch(() => undefined);
    if (receipt === undefined) await delay(PUSH_AGAIN_MS);
    envelope = (await plans.ended(plan.id, () => true, ASK_AGAIN_MS).catch(() => undefined))?.envelope;
  }
  return { scene, plan, envelope, tree: scene.tree() };
}
