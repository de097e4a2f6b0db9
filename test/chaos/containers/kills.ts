import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import type { Api } from './api.ts';
import { type Counts, onceEach, startMoves } from './counted-moves.ts';
import { type StartedPlan, startPlan } from './plans.ts';
import { type Project, ROLES, SERVICES, type ServiceName } from './project.ts';

/** As many as a plan may have. */
export const PLAN_STEPS = 30;
const WIDTH = 12;
const STRIKE_WITHIN_MS = patient(60_000);

export interface Struck {
  readonly service: ServiceName;
  /** Tasks without an answer when it died. */
  readonly underWay: number;
  /** Steps that a plan of `PLAN_STEPS` had done. */
  readonly stepsDone: number;
  /** Until the engine had started it again and it was healthy. */
  readonly seconds: number;
}

export interface Kills {
  readonly struck: readonly Struck[];
  readonly counts: Counts;
  /** How many of the plans, one for each service, were done step by step, each once. */
  readonly plans: number;
}

/** Kills the first process of each service in turn, as a crash does, while moves and a plan of its own are under way; the engine starts it again. */
export async function killEach(api: Api, project: Project, volume: string): Promise<Kills> {
  const moves = startMoves(api, volume, 'kills', WIDTH);
  const struck: Struck[] = [];
  const plans: StartedPlan[] = [];
  for (const service of SERVICES) {
    const before = await project.state(service);
    const plan = startPlan(api, volume, `killed-plan-${service}`, PLAN_STEPS);
    plans.push(plan);
    await someOf(moves.underWay, 'task is under way');
    await someOf(plan.stepsDone, 'step of the plan is done');
    const begun = performance.now();
    const [underWay, stepsDone] = [moves.underWay(), plan.stepsDone()];
    if (before.pid === 0) throw new Error(`${service} is ${before.status}, there is no process to kill`);
    process.kill(before.pid, 'SIGKILL');
    // Healthy is a word about the process that was, until the engine has seen its end.
    for (let now = before; now.pid === before.pid || now.pid === 0; now = await project.state(service)) await delay(100);
    await project.healthy(SERVICES);
    struck.push({ service, underWay, stepsDone, seconds: Math.round((performance.now() - begun) / 100) / 10 });
  }
  const [counts, areDone] = await Promise.all([moves.finish(), Promise.all(plans.map(({ done }) => done))]);
  return { struck, counts, plans: areDone.filter(Boolean).length };
}

/** Each service was killed while tasks and a plan were under way, and nothing was lost or done twice. */
export const survivedWell = ({ struck, counts, plans }: Kills): boolean =>
  struck.length === SERVICES.length &&
  struck.every(({ underWay, stepsDone }) => underWay > 0 && stepsDone > 0 && stepsDone < PLAN_STEPS) &&
  plans === SERVICES.length &&
  onceEach(counts);

/** What kills all roles at once and Redis with them, as a host does that loses its power. It is aimed first: looking takes a while. */
export async function aimAtAll(project: Project): Promise<() => void> {
  const states = await Promise.all([...ROLES, 'redis' as const].map((service) => project.state(service)));
  const missing = states.filter(({ pid }) => pid === 0);
  if (missing.length > 0) throw new Error(`no process to kill: ${JSON.stringify(missing)}`);
  return () => {
    for (const { pid } of states) process.kill(pid, 'SIGKILL');
  };
}

/** Waits until there is one. */
export async function someOf(count: () => number, what: string): Promise<void> {
  for (const end = performance.now() + STRIKE_WITHIN_MS; count() === 0; await delay(10)) {
    if (performance.now() > end) throw new Error(`no ${what}`);
  }
}
