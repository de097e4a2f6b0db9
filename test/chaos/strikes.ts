import { watch } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Effect, idOf, lookForPartial } from './effect.ts';
import type { ArmedPlan, Strike } from './plans.ts';
import type { Deed, Point } from './setup.ts';
import type { Stage } from './stage.ts';

const LOOK_MS = 250;

/** Arms a plan, pushes the task, and waits for the blow; `undefined` when the task ended without passing the point. */
export async function pushInto(stage: Stage, effect: Effect, point: Point, deeds: readonly Deed[] = [{ do: 'kill' }]): Promise<Strike | undefined> {
  const plan = stage.field.plans.arm(idOf(effect), point, deeds);
  await stage.field.tickets.push(effect.ticket);
  return blow(stage, effect, plan);
}

/** Waits for an armed plan of a task that was pushed. */
export async function blow({ field }: Stage, { ticket }: Effect, plan: ArmedPlan): Promise<Strike | undefined> {
  let strike: Strike | undefined;
  void plan.struck.then((it) => {
    strike = it;
  });
  while (strike === undefined) {
    await Promise.race([plan.struck, delay(LOOK_MS)]);
    if (strike === undefined && (await field.tickets.hasEnded(ticket))) {
      if (plan.disarm()) {
        field.counts.event('missed');
        return undefined;
      }
      return plan.struck;
    }
  }
  return strike;
}

/** Reads the destination at every change of its name, until closed. `others` may grow. */
export function watchForPartial({ field }: Stage, effect: Effect, others: ReadonlySet<string>): { close(): void } {
  const [target] = effect.targets;
  if (target === undefined || effect.toVault || effect.passes === 'rename') return { close: () => undefined };
  const watcher = watch(path.dirname(target), (_, name) => {
    if (name === path.basename(target)) lookForPartial(effect, others, field.counts);
  });
  watcher.on('error', () => undefined);
  return watcher;
}

/** A killed worker's task comes back a lock's life later at the earliest; a blow that is older is not meddled with. */
const QUIET_MS = 600;

export function isFresh({ at }: Strike): boolean {
  return Date.now() - at < QUIET_MS;
}
