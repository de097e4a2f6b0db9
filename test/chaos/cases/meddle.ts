import { appendFileSync, existsSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { type Effect, idOf, isVisible, landedAt } from '../effect.ts';
import { brief, contentOf } from '../expectations.ts';
import { type Allowed, finale, recreate } from '../finale.ts';
import type { Point } from '../setup.ts';
import type { Stage } from '../stage.ts';

/** What the world does to the files between a kill and the redelivery, and what the answer may then be. */
type Variation = (stage: Stage, effect: Effect, point: Point) => Finish | undefined;
type Finish = () => Promise<unknown>;

const SUCCESS: Allowed = { success: true };
const BEGUN: ReadonlySet<Point> = new Set<Point>(['intent', 'C1', 'C2', 'C3', 'sealed', 'C4', 'C5', 'published', 'X6']);

/** Each answers how the case ends, or `undefined` where it does not fit what is on disk. */
const VARIATIONS = {
  /** The effect is there: a second one would find a source again. */
  recreate(stage, effect) {
    if (!isVisible(effect) || effect.keepsSource || effect.fromVault || existsSync(effect.source)) return undefined;
    const decoy = recreate(stage, effect);
    return () => finale(stage, effect, decoy === undefined ? {} : { decoy }, SUCCESS);
  },
  /** Somebody takes the destination's name first. */
  occupy(stage, effect) {
    const [target] = effect.targets;
    if (target === undefined || effect.toVault || landedAt(effect) !== undefined) return undefined;
    const occupier = stage.content();
    try {
      writeFileSync(target, occupier, { flag: 'wx' });
    } catch {
      return undefined;
    }
    return () => finale(stage, effect, { occupier }, { success: false, failure: { code: 'EXECUTION_FAILED', says: /destination exists/ } });
  },
  /** Somebody writes to the source. */
  change(stage, effect, point) {
    if (!BEGUN.has(point) || effect.fromVault || contentOf(effect.source) !== effect.content) return undefined;
    const changed = `${effect.content}, changed`;
    appendFileSync(effect.source, ', changed');
    return () => afterChange(stage, effect, changed);
  },
  /** Somebody uses the result at once, and a new file comes to the source's name. */
  consume(stage, effect) {
    const target = landedAt(effect);
    if (target === undefined || effect.toVault || effect.fromVault || !isVisible(effect)) return undefined;
    renameSync(target, `${target}.used`);
    if (!effect.keepsSource) recreate(stage, effect);
    const standing = contentOf(effect.source);
    return () => afterConsumption(stage, effect, target, standing);
  },
} satisfies Record<string, Variation>;

export type VariationName = keyof typeof VARIATIONS;
const NAMES = Object.keys(VARIATIONS) as readonly VariationName[];

/** Lets something happen to the files, or nothing; answers how the case ends. */
export function meddle(stage: Stage, effect: Effect, point: Point): Finish {
  const name = stage.field.random.chance(0.6) ? stage.field.random.pick(NAMES) : undefined;
  const finish = name === undefined ? undefined : (VARIATIONS[name] as Variation)(stage, effect, point);
  return finish ?? (() => finale(stage, effect, {}, SUCCESS));
}

/**
 * A copy that stands already is done; everything else must notice. But a FAILURE that a killed worker never told, or that
 * Redis lost, is no end: the task is tried again, and then takes the file as it is now.
 */
async function afterChange(stage: Stage, effect: Effect, changed: string): Promise<void> {
  if (effect.keepsSource && landedAt(effect) !== undefined) {
    await finale(stage, effect, { decoy: changed }, SUCCESS);
    return;
  }
  await until(stage, effect);
  const triedAgain = { ...effect, content: changed };
  if (landedAt(triedAgain) === undefined)
    await finale(stage, effect, { changed }, { success: false, failure: { code: 'EXECUTION_FAILED', says: /source changed|changed since/ } });
  else await finale(stage, triedAgain, {}, SUCCESS);
}

/** Waits for the end without judging it. */
async function until(stage: Stage, { ticket }: Effect): Promise<void> {
  await stage.field.tickets.answer(ticket);
}

/** Nobody can prove where the file went, so SUCCESS and "unknown" are both right; a second effect never is. */
async function afterConsumption(stage: Stage, effect: Effect, target: string, standing: string | undefined): Promise<void> {
  const { tickets, counts, expectations } = stage.field;
  const result = await tickets.answer(effect.ticket);
  if (!result) return;
  const who = idOf(effect);
  expectations.expect(`${target}.used`, effect.content, 'vanished', who);
  if (result.status === 'FAILURE') {
    counts.event('unknown');
    if (!/unknown/.test(result.error.message)) counts.violation('wrong', `${who}: the result was used at once: ${result.error.message}`);
  }
  if (contentOf(target) !== undefined)
    counts.violation('doubled', `${who}: used at once, ${result.status}, ${target} came back as ${brief(contentOf(target))}`);
  if (contentOf(effect.source) !== standing)
    counts.violation('doubled', `${who}: used at once, ${result.status}, the source holds ${brief(contentOf(effect.source))}`);
  if (result.status === 'FAILURE' && standing !== undefined) unlinkSync(effect.source);
  expectations.expect(target, undefined, 'doubled', who);
}
