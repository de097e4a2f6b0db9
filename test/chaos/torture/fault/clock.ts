import { setTimeout as delay } from 'node:timers/promises';
import type { ScheduleView } from '../../../../src/surfaces/client/index.ts';
import { patient } from '../../../support/patience.ts';
import { codeOf, insist } from '../insist.ts';
import type { Jump } from '../model.ts';
import type { Stage } from '../stage.ts';

const SECOND = 1000;
const MINUTE = 60_000;
const LOOK_MS = 200;
/** A kernel that is dead or stopped all this time never sees the wrong time. */
const SEEN_MS = patient(30_000);
/** How far away the next firing is when the clock is moved: it is made before its time and not at it, and not so early that its lease is none yet. */
const AWAY_MS = { least: Math.min(patient(15_000), 50_000), most: 58_000 };

/**
 * The kernel's clock is moved over firings of every schedule, or back behind such as were made, until the kernel has
 * decided by it; then it is right again.
 */
export async function moveClock(stage: Stage, direction: 'ahead' | 'back'): Promise<void> {
  const { site, model, random } = stage;
  const firings = 1 + random.integer(stage.farthest);
  await delay(untilGood(Date.now()));
  const now = Date.now();
  const aheadMs = direction === 'ahead' ? firings * MINUTE - (now % MINUTE) + SECOND : -firings * MINUTE;
  const aheadS = Math.ceil(aheadMs / SECOND);
  const jump: Jump = { aheadMs: aheadS * SECOND, from: now, until: Number.POSITIVE_INFINITY };
  model.jumps.push(jump);
  site.kernelClock.move(aheadS);
  await untilSeen(stage, jump.aheadMs, SEEN_MS);
  if (direction === 'ahead') await writeDownEarly(stage);
  site.kernelClock.move(0);
  // However long it takes: until then nobody knows which times the kernel takes for decided.
  await untilSeen(stage, 0, Number.POSITIVE_INFINITY);
  jump.until = Date.now();
}

function untilGood(now: number): number {
  const away = MINUTE - (now % MINUTE);
  if (away < AWAY_MS.least) return away + MINUTE - AWAY_MS.most;
  return Math.max(0, away - AWAY_MS.most);
}

/** Until every schedule that fires waits for the next minute of this clock. */
async function untilSeen(stage: Stage, aheadMs: number, ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (!stage.over.aborted && performance.now() < end) {
    const { schedules } = await insist(() => stage.site.client.schedules.list(), stage.over);
    const next = (Math.floor((Date.now() + aheadMs) / MINUTE) + 1) * MINUTE;
    if (schedules.filter(isActive).every((schedule) => Date.parse(schedule.next ?? '') === next)) return;
    await delay(LOOK_MS);
  }
}

/** What is made already, and whose time has not come for anybody else. */
async function writeDownEarly({ site, model, over }: Stage): Promise<void> {
  const { schedules } = await insist(() => site.client.schedules.list(), over);
  for (const { id } of schedules.filter(isActive)) {
    const { firings = [] } = await insist(() => site.client.schedules.get(id), over).catch(ofRemoved);
    const early = firings.filter(({ planned, state }) => state !== 'skipped' && Date.parse(planned) > Date.now());
    model.early.push(...early.map(({ planned }) => ({ schedule: id, planned: Date.parse(planned) / MINUTE })));
  }
}

function ofRemoved(error: unknown): Partial<ScheduleView> {
  if (codeOf(error) !== 'NOT_FOUND') throw error;
  return {};
}

const isActive = ({ state }: ScheduleView): boolean => state === 'active';
