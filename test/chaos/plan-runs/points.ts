import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PLAN_POINTS, type PlanPoint } from '../../../processors/plan/points.ts';
import { CRASH_POINTS as TOOL_POINTS } from '../../../src/executors/tool/index.ts';
import { patient } from '../../support/patience.ts';
import { LEDGER_POINTS, type Point } from '../setup.ts';
import { answersOf, contradictions, heardOf, taskOf, UNKNOWN } from './compare.ts';
import { type Ground, type GroundOptions, startGround } from './ground.ts';
import { finish, linkScene, type Run } from './runs.ts';
import { makeScene, STEP_KINDS, type StepKind } from './scene.ts';

/** A plan whose first step is of this kind; a worker dies when the plan, or the step's task, passes the point. */
export interface PointCase {
  readonly kind: StepKind;
  readonly point: Point;
  /** How often: the second time in the process that took over. */
  readonly times: 1 | 2;
}

export interface PointsReport {
  readonly cases: number;
  readonly kills: number;
  readonly violations: readonly string[];
}

const ONCE = ['sent once', 'sent once, refused'] as const satisfies readonly StepKind[];
/** Points that are passed again by whoever takes over before the step is through. */
const AGAIN: readonly Point[] = ['begun', 'derived', 'seen', 'signed', 'fetched', 'closed'];

const isPlanPoint = (point: Point): point is PlanPoint => PLAN_POINTS.some((one) => one === point);

/** Each point of the plan and of the tool protocol once: the step is the one that must not be repeated. */
export const EACH_POINT_ONCE: readonly PointCase[] = [...PLAN_POINTS, ...TOOL_POINTS].map((point) => ({ kind: 'sent once', point, times: 1 }));

/** Every point with every kind of step that passes it, and a second kill where there is a second time. */
export const EVERY_POINT: readonly PointCase[] = [
  ...PLAN_POINTS.flatMap((point) => STEP_KINDS.map((kind) => ({ kind, point }))),
  // A step that is not reached has no task.
  ...LEDGER_POINTS.flatMap((point) => STEP_KINDS.filter((kind) => kind !== 'not reached').map((kind) => ({ kind, point }))),
  ...TOOL_POINTS.flatMap((point) => ONCE.map((kind) => ({ kind, point }))),
].flatMap(({ kind, point }) => (AGAIN.includes(point) ? ([1, 2] as const) : ([1] as const)).map((times) => ({ kind, point, times })));

/** What the step after the one that is struck does. */
const NEXT: StepKind = 'copy';
const LANES = 5;
/** A process has one plan, task or call at a time, so that a kill hits only what it is meant for. */
const GROUND = { queues: ['plan', 'plan', 'tool-chaos-http', 'tool-chaos-http', 'file', 'file'], atATime: 1 };
/** The same with one for all that is not a plan: each process is a start more. */
export const SMALL_GROUND = { queues: ['plan', 'plan', 'tool-chaos-http', 'file'], atATime: 1 };
const NOT_STRUCK_MS = patient(100_000);

/** Runs each kind of step in peace, then each case, and compares; besides, says what exactly each point must lead to. */
export async function killAtEachPoint(
  cases: readonly PointCase[],
  tell: (line: string) => void = () => undefined,
  on: GroundOptions = GROUND,
): Promise<PointsReport> {
  await using ground = await startGround(on);
  const kinds = [...new Set(cases.map(({ kind }) => kind))];
  const calm = new Map(await Promise.all(kinds.map(async (kind) => [kind, await run(kind, `calm ${kind}`, ground)] as const)));
  const violations: string[] = [];
  const waiting = cases.values();
  const lane = async (): Promise<void> => {
    for (const one of waiting) {
      const name = `${one.kind} at ${one.point} ${one.times}`;
      const wrong = await strikeOne(one, name, calm.get(one.kind), ground);
      violations.push(...wrong.map((what) => `${name}: ${what}`));
      tell(`${name}: ${wrong.length === 0 ? 'well' : wrong.join('; ')}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { cases: cases.length, kills: ground.horde.deaths, violations };
}

type Prepare = (plan: Run['plan']) => Promise<void>;

async function run(kind: StepKind, name: string, { plans }: Ground, disturb: Prepare = async () => undefined): Promise<Run> {
  const scene = makeScene(join(plans.rig.base, name.replaceAll(/\W+/g, '-')), [kind, NEXT]);
  const plan = await linkScene(scene, name, plans);
  const [ended] = await Promise.all([finish(scene, plan, plans), disturb(plan)]);
  return ended;
}

async function strikeOne({ kind, point, times }: PointCase, name: string, calm: Run | undefined, ground: Ground): Promise<readonly string[]> {
  const missed: string[] = [];
  const storm = await run(kind, name, ground, async (plan) => {
    const id = isPlanPoint(point) ? plan.id : taskOf(plan, 0);
    for (let time = 1; time <= times; time += 1) {
      const armed = ground.strikes.arm(id, point, [{ do: 'kill' }]);
      const struck = await Promise.race([armed.struck, delay(NOT_STRUCK_MS)]);
      if (struck === undefined && armed.disarm()) missed.push(`the point was not passed the ${time}. time`);
    }
  });
  if (!calm) return ['there is no run in peace'];
  return [...missed, ...contradictions(calm, storm, ground.provider), ...otherThanWritten(kind, point, times, calm, storm, ground)];
}

/** docs/plan-protocol.md 3 and 5 say exactly what is left of a step, and how often it was asked for. */
function otherThanWritten(kind: StepKind, point: Point, times: number, calm: Run, storm: Run, { provider }: Ground): readonly string[] {
  const isUnknown = answersOf(storm)[0]?.includes(UNKNOWN) ?? false;
  const isTool = TOOL_POINTS.some((one) => one === point);
  const heard = heardOf(storm, 0, provider);
  const expected = requestsOf(kind, point, times, heardOf(calm, 0, provider));
  return [
    ...(isUnknown === isTool ? [] : [`the first outcome is ${isUnknown ? '' : 'not '}unknown`]),
    ...(heard === expected ? [] : [`the provider heard ${heard} requests instead of ${expected}`]),
  ];
}

/** A request that was about to be sent is not sent again; one that may be repeated is, when its answer was lost. */
function requestsOf(kind: StepKind, point: Point, times: number, inPeace: number): number {
  if (point === 'intent') return 0;
  return kind === 'may be repeated' && point === 'closed' ? inPeace + times : inPeace;
}
