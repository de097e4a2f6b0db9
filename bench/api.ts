import { type Doorstep, openDoorstep } from './api/doorstep.ts';
import { type Case, ROUNDS, type Round, type Suite, spread } from './contract.ts';

const BULK_TASKS = 10_000;
const SINGLE_TASKS = 3000;

/**
 * Tasks through `writ api` over HTTP, each with a lease that the door verifies, against BullMQ's `addBulk` of the same
 * payloads. Server, load generator and peer are a process each; leases are signed before the clock starts.
 */
export const suite: Suite = {
  what: 'tasks pushed over HTTP with their leases verified at the door, against bare addBulk',
  async open() {
    const doorstep = await openDoorstep(BULK_TASKS);
    const own = await openDoorstep(BULK_TASKS, 'own');
    const speeds = { bulk: [] as number[], addBulk: [] as number[], own: [] as number[], ownAddBulk: [] as number[] };
    const bulk = (name: string, at: Doorstep, ours: number[], theirs: number[]): Case => ({
      name,
      kind: 'speed',
      peer: 'bullmq',
      ours: () => round(at, 'writ', async () => (await at.load({ kind: 'bulk', tasks: BULK_TASKS })).ms, ours),
      theirs: () => round(at, 'bullmq', async () => (await at.peer({ tasks: BULK_TASKS })).ms, theirs),
    });
    return {
      // Leases as the kernel gives them out for a batch, and with a signature each.
      cases: [bulk('bulk', doorstep, speeds.bulk, speeds.addBulk), bulk('bulk_own', own, speeds.own, speeds.ownAddBulk)],
      async metrics() {
        const single = await singles(doorstep);
        // The first round warmed everything up.
        return {
          ...figures('bulk', speeds.bulk.slice(1)),
          ...figures('bulk_own', speeds.own.slice(1)),
          ...figures('bullmq', speeds.addBulk.slice(1)),
          ...figures('single', single.slice(1)),
        };
      },
      async close() {
        await own.close();
        await doorstep.close();
      },
    };
  },
};

async function round(doorstep: Doorstep, side: 'writ' | 'bullmq', push: () => Promise<number>, speeds: number[]): Promise<Round> {
  await doorstep.clear();
  const ms = await push();
  speeds.push(BULK_TASKS / (ms / 1000));
  return { value: ms, work: await doorstep.queued(side, BULK_TASKS) };
}

/** Tasks per second, a warm-up round first. */
async function singles(doorstep: Doorstep): Promise<readonly number[]> {
  const speeds: number[] = [];
  for (let n = 0; n <= ROUNDS; n += 1) {
    await doorstep.clear();
    const { ms, accepted } = await doorstep.load({ kind: 'single', tasks: SINGLE_TASKS });
    const { waiting } = await doorstep.queued('writ', SINGLE_TASKS);
    if (accepted !== SINGLE_TASKS || waiting !== SINGLE_TASKS) throw new Error(`${accepted} accepted, ${waiting} queued, of ${SINGLE_TASKS}`);
    speeds.push(accepted / (ms / 1000));
  }
  return speeds;
}

function figures(name: string, speeds: readonly number[]): Record<string, number> {
  const { median, min, max } = spread(speeds);
  return { [`${name}_tasks_per_s`]: Math.round(median), [`${name}_tasks_per_s.min`]: Math.round(min), [`${name}_tasks_per_s.max`]: Math.round(max) };
}
