import { renameSync, unlinkSync, writeFileSync } from 'node:fs';
import type { ExecutionResult } from '../../src/contracts/index.ts';
import { type Effect, existsSomewhere, idOf, landedAt, lookForPartial } from './effect.ts';
import { brief, contentOf } from './expectations.ts';
import type { Stage } from './stage.ts';

/** What a case did to the files of an effect before its answer. */
export interface Meddling {
  /** Somebody's file under the destination's name. */
  occupier?: string;
  /** A file that was put under the source's name after the effect had been seen. */
  decoy?: string;
  /** What the source holds after somebody wrote to it. */
  changed?: string;
}

/** FAILUREs that are right for the case. */
export interface Allowed {
  readonly failure?: { readonly code: string; readonly says: RegExp };
  /** Whether SUCCESS is right, too. */
  readonly success: boolean;
}

/** A recovery that had rolled back was killed before it could say so: the next one finds nothing, and says that it cannot tell. */
const CANNOT_TELL = /^outcome unknown/;
const TAKEN_OVER = /were lost or crashed too often|the worker was lost \d+ times/;

/** Compares an answer with the disk, replays the task with its source re-created, and pins down what must stay for ever. */
export async function finale(stage: Stage, effect: Effect, meddling: Meddling, allowed: Allowed): Promise<ExecutionResult | undefined> {
  const { counts, tickets } = stage.field;
  const result = await tickets.answer(effect.ticket);
  if (!result) return undefined;
  lookForPartial(effect, new Set(meddling.occupier === undefined ? [] : [meddling.occupier]), counts);
  if (result.status === 'SUCCESS') {
    if (!allowed.success) counts.violation('wrong', `${idOf(effect)}: SUCCESS, but ${allowed.failure?.says} was right`);
    await afterSuccess(stage, effect, meddling);
  } else {
    judgeFailure(stage, effect, result, allowed);
    afterFailure(stage, effect, meddling);
  }
  return result;
}

async function afterSuccess(stage: Stage, effect: Effect, meddling: Meddling): Promise<void> {
  const { counts, tickets, expectations, random } = stage.field;
  const who = idOf(effect);
  const target = landedAt(effect);
  if (target === undefined) {
    counts.violation(
      existsSomewhere(effect) ? 'wrong' : 'vanished',
      `${who}: SUCCESS, but ${effect.targets[0]} holds ${brief(contentOf(effect.targets[0] ?? ''))}`,
    );
    return;
  }
  const source = contentOf(effect.source);
  const decoy = meddling.decoy ?? (effect.keepsSource ? effect.content : undefined);
  if (source !== decoy) {
    counts.violation(decoy === undefined ? 'wrong' : 'doubled', `${who}: SUCCESS, but the source holds ${brief(source)} instead of ${brief(decoy)}`);
    return;
  }
  let standing = decoy;
  if (decoy === undefined && !effect.fromVault) standing = recreate(stage, effect);
  if (effect.keepsSource) takeAway(stage, effect, target);
  else expectations.expect(target, effect.content, 'vanished', who);
  if (random.chance(0.5)) await tickets.replay(effect.ticket);
  if (contentOf(effect.source) !== standing) counts.violation('doubled', `${who}: replayed, the source holds ${brief(contentOf(effect.source))}`);
  expectations.expect(effect.source, standing, 'doubled', who);
}

/** A second effect would now find everything that it needs. */
export function recreate(stage: Stage, { source }: Effect): string | undefined {
  const content = stage.content();
  try {
    writeFileSync(source, content, { flag: 'wx' });
    return content;
  } catch {
    return contentOf(source);
  }
}

/** The copy goes away, so that a second copy would be seen. */
function takeAway(stage: Stage, effect: Effect, target: string): void {
  const { expectations } = stage.field;
  renameSync(target, `${target}.taken`);
  expectations.expect(`${target}.taken`, effect.content, 'vanished', idOf(effect));
  expectations.expect(target, undefined, 'doubled', idOf(effect));
}

function judgeFailure(stage: Stage, effect: Effect, result: Extract<ExecutionResult, { status: 'FAILURE' }>, { failure }: Allowed): void {
  const { counts } = stage.field;
  const { error_code: code, message } = result.error;
  if (code === 'RESOURCE_EXHAUSTED' && TAKEN_OVER.test(message)) counts.event('exhausted');
  else if ((failure?.code === code || effect.passes !== 'rename') && CANNOT_TELL.test(message)) counts.event('unknown');
  else if (failure?.code !== code || !failure.says.test(message)) counts.violation('wrong', `${idOf(effect)}: ${code}: ${message}`);
}

/** Nothing may have happened. Then the producer gives up: the source is removed, so that a stale job can find nothing. */
function afterFailure(stage: Stage, effect: Effect, { occupier, changed }: Meddling): void {
  const { counts, expectations } = stage.field;
  const who = idOf(effect);
  const expected = changed ?? effect.content;
  if (contentOf(effect.source) !== expected) {
    const landed = landedAt(effect) !== undefined;
    counts.violation(landed || existsSomewhere(effect) ? 'wrong' : 'vanished', `${who}: FAILURE, but the source holds ${brief(contentOf(effect.source))}`);
    return;
  }
  for (const target of effect.targets.slice(0, effect.toVault ? effect.targets.length : 1)) {
    const found = contentOf(target);
    if (found !== occupier) counts.violation(occupier === undefined ? 'wrong' : 'clobbered', `${who}: FAILURE, but ${target} holds ${brief(found)}`);
    expectations.expect(target, occupier, occupier === undefined ? 'doubled' : 'clobbered', who);
  }
  unlinkSync(effect.source);
  expectations.expect(effect.source, undefined, 'wrong', who);
}
