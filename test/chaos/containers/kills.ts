import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import type { Api } from './api.ts';
import { type Counts, startMoves } from './counted-moves.ts';
import { type Project, ROLES, SERVICES, type ServiceName } from './project.ts';
import { startPlan } from './tour.ts';

/** As many as a plan may have. */
const PLAN_STEPS = 30;
const WIDTH = 12;
const STRIKE_WITHIN_MS = patient(60_000);

export interface Struck {
  readonly service: ServiceName;
  /** Tasks without an answer when it died. */
  readonly underWay: number;
  /** Until the engine had started it again and it was healthy. */
  readonly seconds: number;
}

export interface Kills {
  readonly struck: readonly Struck[];
  readonly counts: Counts;
  readonly plan: boolean;
}

/** Kills the first process of each service in turn, as a crash does, while moves and a plan are under way; the engine starts it again. */
export async function killEach(api: Api, project: Project, volume: string): Promise<Kills> {
  const moves = startMoves(api, volume, 'kills', WIDTH);
  const plan = startPlan(api, volume, 'killed-plan', PLAN_STEPS);
  const struck: Struck[] = [];
  for (const service of SERVICES) {
    await someUnderWay(moves.underWay);
    const before = await project.state(service);
    const begun = performance.now();
    const underWay = moves.underWay();
    process.kill(before.pid, 'SIGKILL');
    // Healthy is a word about the process that was, until the engine has seen its end.
    for (let now = before; now.pid === before.pid || now.pid === 0; now = await project.state(service)) await delay(100);
    await project.healthy(SERVICES);
    struck.push({ service, underWay, seconds: Math.round((performance.now() - begun) / 100) / 10 });
  }
  const [counts, isDone] = await Promise.all([moves.finish(), plan]);
  return { struck, counts, plan: isDone };
}

/** All roles at once and Redis with them: what a host does that loses its power. */
export async function killAll(project: Project): Promise<void> {
  const states = await Promise.all([...ROLES, 'redis' as const].map((service) => project.state(service)));
  for (const { pid } of states) if (pid > 0) process.kill(pid, 'SIGKILL');
}

export async function someUnderWay(underWay: () => number): Promise<void> {
  for (const end = performance.now() + STRIKE_WITHIN_MS; underWay() === 0; await delay(10)) {
    if (performance.now() > end) throw new Error('no task is under way');
  }
}
