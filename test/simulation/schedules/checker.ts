import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import type { Firing, FiringLane, ScheduleStore } from '../../../src/core/ports/index.ts';
import { firingId } from '../../../src/core/schedule-id.ts';
import type { Parts } from '../parts.ts';
import { EPOCH_MS, type SimProcess } from '../scheduler.ts';
import type { SimSchedule } from './draw.ts';

export const SCHEDULE = 'nightly';
export const MANIFEST: TaskManifest = {
  task_id: SCHEDULE,
  capability_id: 'TOOL_CALL',
  inputs: { tool: 'sim.tool', operation: 'once', params: {} },
  constraints: {},
};

const MINUTE = 60_000;
const START = EPOCH_MS / MINUTE;
/** Planned times that a history can reach, its clocks set ahead included. */
const REACH = 30;
/** Between the removal of a schedule and the last push of a firing that was being signed. */
const AT_WORK_MS = 1_000;

/** Beside the kernel: sees what its store holds and what is pushed, and knows the times by itself (docs/protocol.md 11). */
export interface ScheduleWatch {
  store(store: ScheduleStore, process: SimProcess): ScheduleStore;
  lane(lane: FiringLane, process: SimProcess): FiringLane;
  /** When the history is over. */
  judge(): void;
}

export function createWatch(parts: Parts, schedule: SimSchedule, kept: ScheduleStore): ScheduleWatch {
  const { checker, world, host, reached } = parts;
  const every = schedule.cron === '* * * * *' ? 1 : 2;
  const planned = new Map<string, number>();
  const ids = new Map<number, string>();
  for (let minute = START - REACH; minute <= START + REACH; minute += 1) {
    if (minute % every !== 0) continue;
    const id = firingId(SCHEDULE, manifestSha256(MANIFEST), minute);
    planned.set(id, minute);
    ids.set(minute, id);
  }
  const pushed = new Set<string>();
  /** Firings that were due at any time. */
  const due = new Set<string>();
  let registered: number | undefined;
  let removedAt: number | undefined;
  /** Up to where every planned time is decided. */
  let cursor = START;
  const timesIn = (after: number, until: number): readonly number[] => [...ids.keys()].filter((minute) => minute > after && minute <= until);
  const named = (minute: number): string => new Date(minute * MINUTE).toISOString().slice(11, 16);

  function onDecided(now: number, before: readonly Firing[]): void {
    // Where the clock was set back, what comes then comes after the registration, whatever the clock said at that time.
    if (registered !== undefined && now < registered) registered = now;
    const times = timesIn(cursor, now);
    const onTime = times.filter((minute) => minute >= now - 1);
    const late = times.filter((minute) => minute < now - 1);
    const made = { skip: onTime, all: times, latest: onTime.length > 0 ? onTime : late.slice(-1) }[schedule.missed];
    for (const minute of made) {
      const firing = kept.firing(ids.get(minute) ?? '');
      if (firing === undefined) checker.violate('no firing is lost', `${named(minute)} was decided, and there is no firing`);
      else if (firing.state === 'skipped') onSkipped(firing, [...before, ...made.flatMap((one) => kept.firing(ids.get(one) ?? '') ?? [])]);
    }
    for (const minute of late.filter((one) => !made.includes(one))) {
      const state = kept.firing(ids.get(minute) ?? '')?.state ?? 'skipped';
      if (state !== 'skipped' && !before.some(({ planned: one }) => one === minute))
        checker.violate('nothing is invented', `${named(minute)} was missed, and is made up for`);
    }
    for (const { taskId, state } of kept.firings(SCHEDULE, 2 * REACH)) if (state === 'due') due.add(taskId);
    cursor = now;
  }

  /** One that is left out for an overlap: another one is on its way, as far as the kernel can see. */
  function onSkipped({ planned: minute, detail }: Firing, before: readonly Firing[]): void {
    reached.add(`firing:${detail}`);
    const isOpen = before.some(({ taskId, lookAt }) => lookAt !== undefined && (checker.recorded(taskId).length === 0 || world.struck.size > 0));
    if (detail !== 'overlap' || schedule.overlap !== 'skip' || !isOpen)
      checker.violate('no firing is lost', `${named(minute)} was left out (${detail}), and no other is on its way`);
  }

  const store = (inner: ScheduleStore): ScheduleStore => ({
    ...inner,
    put(stored, audit, now) {
      inner.put(stored, audit, now);
      registered ??= stored.cursor;
      cursor = stored.cursor;
    },
    remove(id, audit, now) {
      inner.remove(id, audit, now);
      removedAt = world.now;
    },
    decide(moved, firings) {
      const before = kept.firings(SCHEDULE, 2 * REACH);
      try {
        inner.decide(moved, firings);
      } finally {
        // Whether it was written before its process died is seen in what is kept.
        if (kept.schedule(SCHEDULE)?.cursor === moved.cursor && moved.cursor !== cursor) onDecided(moved.cursor, before);
      }
    },
  });

  const lane = (inner: FiringLane, process: SimProcess): FiringLane => ({
    ...inner,
    push(job, options) {
      if (!process.alive) return new Promise(() => undefined);
      const { task_id: taskId } = job.manifest;
      const minute = planned.get(taskId);
      if (minute === undefined || registered === undefined || minute <= registered)
        checker.violate('nothing is invented', `${taskId} was pushed, and is no time of the schedule`);
      else if (minute * MINUTE > process.clock.now()) checker.violate('nothing is invented', `${named(minute)} was pushed before its time`);
      if (removedAt !== undefined && world.now > removedAt + AT_WORK_MS)
        checker.violate('nothing is invented', `${taskId} was pushed after its schedule was removed`);
      if (kept.firing(taskId) === undefined) checker.violate('nothing is invented', `${taskId} was pushed, and is no firing on record`);
      pushed.add(taskId);
      return inner.push(job, options);
    },
  });

  function judge(): void {
    for (const [taskId, requests] of host.tools.requests) {
      if (!taskId.startsWith('s-')) continue;
      if (!pushed.has(taskId)) checker.violate('nothing is invented', `${taskId} was run, and the kernel had not pushed it`);
      if (requests > 1) checker.violate('at most one effect', `the firing ${taskId} was requested ${requests} times`);
    }
    for (const taskId of due) {
      const firing = kept.firing(taskId);
      if (firing === undefined) checker.violate('no firing is lost', `${taskId} is no more on record`);
      else judgeEnd(firing);
    }
  }

  function judgeEnd({ taskId, state, detail = '', planned: minute }: Firing): void {
    reached.add(`firing:${state}:${detail}`);
    const isRemoved = detail === 'removed' && removedAt !== undefined;
    if (isRemoved) return;
    if (state !== 'ended') {
      checker.violate('everything ends', `the firing of ${named(minute)} is ${state} (${detail})`);
      return;
    }
    const ends = checker.recorded(taskId);
    const hasEnded = ends.some(({ status, result }) => (detail === 'SUCCESS' ? status === 'SUCCESS' : result.includes(`"${detail}"`)));
    if (!hasEnded) checker.violate('failures are true', `the firing of ${named(minute)} is told as ${detail}, and no executor has said so`);
    if (detail === 'SUCCESS' && (host.tools.requests.get(taskId) ?? 0) === 0)
      checker.violate('effect if and only if SUCCESS', `the firing of ${named(minute)} was never requested`);
  }

  return { store, lane, judge };
}
