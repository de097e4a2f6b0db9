import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { sha256Hex } from '../../../src/core/hash.ts';
import type { Firing, FiringLane, ScheduleStore } from '../../../src/core/ports/index.ts';
import type { Parts } from '../parts.ts';
import { planRecord } from '../plan-record.ts';
import { RETENTION_MS, type SimSchedule } from '../scenario.ts';
import { EPOCH_MS, type SimProcess } from '../scheduler.ts';
import { firingAt, requestsOf, SCHEDULE } from './what.ts';

const MINUTE = 60_000;
const START = EPOCH_MS / MINUTE;
/** Planned times that a history can reach, its clocks set ahead included. */
const REACH = 30;
/** Between the removal of a schedule and the last push of a firing that was being signed. */
const AT_WORK_MS = 1_000;

/** Beside the kernel: sees what its store holds and what is pushed, and knows the times by itself (docs/protocol.md 11). */
export class ScheduleWatch {
  readonly #parts: Parts;
  readonly #schedule: SimSchedule;
  /** What is on record, whoever lives. */
  readonly #kept: ScheduleStore;
  /** The id of the task or plan of each time of the schedule. */
  readonly #ids = new Map<number, string>();
  readonly #pushed = new Set<string>();
  /** Firings that were due at any time. */
  readonly #due = new Set<string>();
  #registered: number | undefined;
  /** The minute of the registration, as the clock said then. */
  #since = START;
  #removedAt: number | undefined;
  /** Up to where every planned time is decided. */
  #cursor = START;

  constructor(parts: Parts, schedule: SimSchedule, kept: ScheduleStore) {
    this.#parts = parts;
    this.#schedule = schedule;
    this.#kept = kept;
    const every = schedule.cron === '* * * * *' ? 1 : 2;
    for (let minute = START - REACH; minute <= START + REACH; minute += 1) if (minute % every === 0) this.#ids.set(minute, firingAt(schedule, minute));
  }

  /** The store of one process, watched. */
  store(inner: ScheduleStore, process: SimProcess): ScheduleStore {
    return {
      ...inner,
      put: (stored, audit, now, envelope) => {
        inner.put(stored, audit, now, envelope);
        if (this.#registered !== undefined) this.#onLast(stored.cursor);
        if (this.#registered === undefined) this.#since = stored.cursor;
        this.#registered ??= stored.cursor;
        this.#cursor = stored.cursor;
      },
      remove: (id, audit, now) => {
        inner.remove(id, audit, now);
        this.#onLast(Math.floor(process.clock.now() / MINUTE));
        this.#removedAt = this.#parts.world.now;
      },
      decide: (moved, firings) => {
        const before = this.#kept.firings(SCHEDULE, 2 * REACH);
        try {
          inner.decide(moved, firings);
        } finally {
          // Whether it was written before its process died is seen in what is kept.
          if (this.#kept.schedule(SCHEDULE)?.cursor === moved.cursor && moved.cursor !== this.#cursor) this.#onDecided(moved.cursor, before);
        }
      },
    };
  }

  /** The way of firings out of one process, watched. */
  lane(inner: FiringLane, process: SimProcess): FiringLane {
    return {
      ...inner,
      push: (job, options) => {
        if (!process.alive) return new Promise(() => undefined);
        this.#onPush(job.manifest.task_id, process.clock.now());
        return inner.push(job, options);
      },
      pushPlan: (plan, options) => {
        if (!process.alive) return new Promise(() => undefined);
        this.#onPush(`p-${sha256Hex(canonicalJson(plan.envelope))}`, process.clock.now());
        return inner.pushPlan(plan, options);
      },
    };
  }

  /** When the history is over. */
  judge(): void {
    const { checker, host } = this.#parts;
    const asked = new Map([...this.#pushed].flatMap((id) => requestsOf(this.#schedule, id).map(({ taskId, isOnce }) => [taskId, isOnce] as const)));
    for (const [taskId, requests] of host.tools.requests) {
      if (!taskId.startsWith('s-')) continue;
      const isOnce = asked.get(taskId);
      if (isOnce === undefined) checker.violate('nothing is invented', `${taskId} was run, and the kernel had pushed nothing that asks for it`);
      if (isOnce && requests > 1) checker.violate('at most one effect', `${taskId} of a firing was requested ${requests} times`);
    }
    for (const taskId of this.#due) {
      const firing = this.#kept.firing(taskId);
      if (firing === undefined) checker.violate('no firing is lost', `${taskId} is no more on record`);
      else this.#judgeEnd(firing);
    }
  }

  #timesIn(after: number, until: number): readonly number[] {
    return [...this.#ids.keys()].filter((minute) => minute > after && minute <= until);
  }

  #firing(minute: number): Firing | undefined {
    return this.#kept.firing(this.#ids.get(minute) ?? '');
  }

  /** The kernel has moved the cursor: what its settings owe is on record. */
  #onDecided(now: number, before: readonly Firing[]): void {
    const { checker, world } = this.#parts;
    // Where the clock was set back, what comes then comes after the registration, whatever the clock said at that time.
    if (this.#registered !== undefined && now < this.#registered) this.#registered = now;
    const times = this.#timesIn(this.#cursor, now);
    this.#cursor = now;
    const onTime = times.filter((minute) => minute >= now - 1);
    // A clock that was set back and is right again makes up for nothing from before the registration.
    const late = times.filter((minute) => minute < now - 1 && (minute > this.#since || now < this.#since));
    if (late.length > 0 && world.struck.size === 0) checker.violate('nobody starves', `${late.map(named).join(', ')} was missed, and nothing went wrong`);
    const made = { skip: onTime, all: [...late, ...onTime], latest: onTime.length > 0 ? onTime : late.slice(-1) }[this.#schedule.missed];
    for (const minute of made) {
      const firing = this.#firing(minute);
      if (firing === undefined) checker.violate('no firing is lost', `${named(minute)} was decided, and there is no firing`);
      else if (firing.state === 'skipped') this.#onSkipped(firing, [...before, ...made.flatMap((one) => this.#firing(one) ?? [])]);
    }
    for (const minute of late.filter((one) => !made.includes(one))) {
      const stood = before.some(({ planned }) => planned === minute);
      if (!stood && (this.#firing(minute)?.state ?? 'skipped') !== 'skipped')
        checker.violate('nothing is invented', `${named(minute)} was missed, and is made up for`);
    }
    for (const { taskId, state } of this.#kept.firings(SCHEDULE, 2 * REACH)) if (state === 'due') this.#due.add(taskId);
  }

  /** One that is left out for an overlap: another one is on its way, as far as the kernel can see. */
  #onSkipped({ planned, detail }: Firing, others: readonly Firing[]): void {
    const { checker, world, reached } = this.#parts;
    reached.add(`firing:${detail}`);
    const isOpen = others.some(({ taskId, lookAt }) => lookAt !== undefined && (this.#signed(taskId).length === 0 || world.struck.size > 0));
    if (detail !== 'overlap' || this.#schedule.overlap !== 'skip' || !isOpen)
      checker.violate('no firing is lost', `${named(planned)} was left out (${detail}), and no other is on its way`);
  }

  /** It is paused or removed: nothing that had come was undecided, for whoever did so had looked. */
  #onLast(now: number): void {
    const passedOver = this.#timesIn(this.#cursor, now);
    if (passedOver.length > 0) this.#parts.checker.violate('no firing is lost', `nobody has decided ${passedOver.map(named).join(', ')}`);
  }

  #onPush(taskId: string, now: number): void {
    const { checker, world } = this.#parts;
    const [minute] = [...this.#ids].find(([, id]) => id === taskId) ?? [];
    if (minute === undefined || this.#registered === undefined || minute <= this.#registered)
      checker.violate('nothing is invented', `${taskId} was pushed, and is no time of the schedule`);
    else if (minute * MINUTE > now) checker.violate('nothing is invented', `${named(minute)} was pushed before its time`);
    if (this.#removedAt !== undefined && world.now > this.#removedAt + AT_WORK_MS)
      checker.violate('nothing is invented', `${taskId} was pushed after its schedule was removed`);
    if (this.#kept.firing(taskId) === undefined) checker.violate('nothing is invented', `${taskId} was pushed, and is not on record`);
    this.#pushed.add(taskId);
  }

  /** What executors have said of a firing; of a plan, what its journal has as its end. */
  #signed(id: string): readonly { readonly status: string; readonly result: string }[] {
    const { checker, host } = this.#parts;
    if (!id.startsWith('p-')) return checker.signed(id, host.stores);
    const { end } = planRecord(host.stores, id.slice(2)) ?? {};
    return end === undefined ? [] : [end];
  }

  /** A firing that was due has ended with what an executor has signed. */
  #judgeEnd({ taskId, state, detail = '', planned }: Firing): void {
    const { checker, host, reached, world } = this.#parts;
    reached.add(`firing:${state}:${detail}`);
    if (detail === 'removed' && this.#removedAt !== undefined) return;
    if (state !== 'ended') {
      checker.violate('everything ends', `the firing of ${named(planned)} is ${state} (${detail})`);
      return;
    }
    // After the retention a plan is one line, which has no end to compare with.
    if (taskId.startsWith('p-') && world.now > RETENTION_MS && this.#signed(taskId).length === 0) return;
    const hasEnded = this.#signed(taskId).some(({ status, result }) => (detail === 'SUCCESS' ? status === 'SUCCESS' : result.includes(`"${detail}"`)));
    if (!hasEnded) checker.violate('failures are true', `the firing of ${named(planned)} is told as ${detail}, and no executor has said so`);
    const missing = requestsOf(this.#schedule, taskId).some((one) => (host.tools.requests.get(one.taskId) ?? 0) === 0);
    if (detail === 'SUCCESS' && missing) checker.violate('effect if and only if SUCCESS', `the firing of ${named(planned)} was never requested`);
  }
}

function named(minute: number): string {
  return new Date(minute * MINUTE).toISOString().slice(11, 16);
}
