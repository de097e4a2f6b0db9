import { idOf, lookForPartial } from '../effect.ts';
import { finale } from '../finale.ts';
import { type OperationName, prepare } from '../operations.ts';
import { pointsOf } from '../points.ts';
import type { Point } from '../setup.ts';
import type { Stage } from '../stage.ts';
import { blow, isFresh, watchForPartial } from '../strikes.ts';
import { meddle } from './meddle.ts';

/** How often a second kill waits for the recovery. */
const AGAIN = 0.2;

/** kill -9 of the worker in which the task of an operation passes a point; then anything may happen to the files. */
export async function killAtPoint(stage: Stage, operation: OperationName, point: Point, linked: boolean): Promise<void> {
  const { plans, counts, random, tickets } = stage.field;
  const effect = await prepare(operation, stage);
  if (!effect) return;
  const plan = plans.arm(idOf(effect), point, [{ do: 'kill' }]);
  const next = random.pick(pointsOf(effect, linked));
  const again = next !== point && random.chance(AGAIN) ? plans.arm(idOf(effect), next, [{ do: 'kill' }]) : undefined;
  const watcher = watchForPartial(stage, effect, new Set());
  await tickets.push(effect.ticket);
  const strike = await blow(stage, effect, plan);
  if (strike) counts.round(`kill -9 in ${operation} at ${point}`);
  lookForPartial(effect, new Set(), counts);
  watcher.close();
  const finish = strike && isFresh(strike) ? meddle(stage, effect, point) : () => finale(stage, effect, {}, { success: true });
  await finish();
  if (again && !again.disarm()) counts.round('kill -9 once more');
}
