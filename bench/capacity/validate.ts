import { cpus } from 'node:os';
import { type Costs, KINDS, type Mix } from './costs.ts';
import { openInstallation } from './installation.ts';
import { limits } from './model.ts';
import { machineTimes } from './processes.ts';
import { type Snapshot, snapshot } from './snapshot.ts';
import { BATCHES } from './work.ts';

/** A configuration, what the model says of it, and what it did. */
export interface Validation {
  readonly name: string;
  readonly workers: number;
  readonly tasks: number;
  /** Processors that nothing else used meanwhile. */
  readonly cores: number;
  readonly predicted: { readonly tasksPerSecond: number; readonly first: string; readonly cpuUs: number };
  readonly measured: { readonly tasksPerSecond: number; readonly cpuUs: number };
  /** Measured by predicted: above 1 it did more, or cost more, than the model says. */
  readonly speedRatio: number;
  readonly cpuRatio: number;
}

const MOVES: Mix = { move: 1, search: 0, content: 0, step: 0 };
/** Of this mix none was measured when the costs were. */
const MIXED: Mix = { move: 0.8, search: 0.05, content: 0.05, step: 0.1 };

/** Three sizes: one worker, two, and two with a mix. */
export const SIZES = [
  { name: 'moves, one worker', workers: 1, tasks: 4000, mix: MOVES },
  { name: 'moves, two workers', workers: 2, tasks: 8000, mix: MOVES },
  { name: 'mixed, two workers', workers: 2, tasks: 2000, mix: MIXED },
] as const;

/** Pushes while workers work, as in production, and holds what happened against the model. */
export async function validate(costs: Costs, { name, workers, tasks, mix }: (typeof SIZES)[number], scale: number): Promise<Validation> {
  const installation = await openInstallation(workers);
  try {
    const batches = (round: string, share: number) =>
      KINDS.filter((kind) => mix[kind] > 0).map((kind) =>
        BATCHES[kind](installation.ground, `${kind}-${round}`, Math.max(1, Math.round(tasks * share * mix[kind]))),
      );
    const run = async (parts: ReturnType<typeof batches>): Promise<number> => {
      const start = performance.now();
      await Promise.all(parts.map((batch) => batch.push(installation.client)));
      for (const batch of parts) await installation.drain(batch);
      return (performance.now() - start) / 1000 / parts.reduce((sum, { count }) => sum + count, 0);
    };
    await run(batches('warm', scale / 2));
    // Its files are made before the machine is looked at.
    const real = batches('real', scale);
    const [before, machineBefore] = [await snapshot(installation), machineTimes()];
    const perTask = await run(real);
    const [after, machineAfter] = [await snapshot(installation), machineTimes()];
    const count = real.reduce((sum, batch) => sum + batch.count, 0);
    const oursUs = cpuOf(after) - cpuOf(before);
    const all = machineAfter.allUs - machineBefore.allUs;
    const others = Math.max(0, machineAfter.busyUs - machineBefore.busyUs - oursUs);
    const cores = Math.max(0.1, cpus().length * (1 - others / all));
    const found = limits(costs, mix, { workers, apis: 1, masters: 1, pools: 1, cores, searchSlots: 2 });
    const [first] = found;
    const processors = found.find(({ part }) => part === 'processors');
    if (first === undefined || processors === undefined) throw new Error('the model has no limit');
    const predicted = { tasksPerSecond: first.tasksPerSecond, first: first.part, cpuUs: (cores * 1e6) / processors.tasksPerSecond };
    const measured = { tasksPerSecond: 1 / perTask, cpuUs: oursUs / count };
    const speedRatio = measured.tasksPerSecond / predicted.tasksPerSecond;
    return { name, workers, tasks: count, cores, predicted, measured, speedRatio, cpuRatio: measured.cpuUs / predicted.cpuUs };
  } finally {
    await installation.close();
  }
}

function cpuOf({ workers, api, kernel, redisCpuUs }: Snapshot): number {
  return [workers, api, kernel].reduce((sum, used) => sum + used.loopUs + used.threadsUs + used.childrenUs, redisCpuUs);
}
