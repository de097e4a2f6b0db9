import type { ScheduleDefinition } from '../../contracts/index.ts';
import type { Clock } from '../../core/clock.ts';
import { isWritError, messageOf } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { lifecycle } from '../../core/lifecycle.ts';
import type { Firing, FiringLane, KernelOperations, Receipt, ScheduleStore, StoredSchedule } from '../../core/ports/index.ts';
import { dueOf, MISSED_AFTER_MIN } from './due.ts';
import { firingOf } from './firing.ts';
import { occurrencesOf } from './occurrence.ts';
import { firingWays } from './ways.ts';

export interface AlarmOptions {
  readonly store: ScheduleStore;
  readonly kernel: Pick<KernelOperations, 'issue' | 'issuePlan'>;
  readonly lane: FiringLane;
  readonly clock: Clock;
  /** Told about trouble that no caller sees. */
  readonly report: (problem: string) => void;
}

/** Makes the firings of schedules. `pass` does what is due now; while it is started it does so every second. */
export interface Alarm extends Lifecycle {
  pass(): Promise<void>;
}

const MINUTE = 60_000;
const TICK_MS = 1_000;
/** How often what became of a firing is looked at; after a push that proved nothing longer, doubling. */
const LOOK_MS = 15_000;
const LONGEST_MS = 3_600_000;
/** Firings of one schedule that may be on their way at a time. */
const MAX_OPEN = { skip: 1, allow: 100 } satisfies Record<ScheduleDefinition['overlap'], number>;
/** Pushes of a firing whose end nobody has signed. */
const MAX_PUSHES = 10;
const LOOKS_A_PASS = 200;
/** What has ended is on record for so long, and the newest of each schedule for ever. */
const KEPT_MIN = 30 * 24 * 60;
const KEPT_NEWEST = 100;
/** How often old firings are forgotten, and how many at most: the kernel signs for nobody meanwhile. */
const TRIM_MS = 3_600_000;
const TRIMMED = 2_000;

type Change = Pick<Firing, 'state' | 'detail' | 'pushes' | 'lookAt'>;

/** The kernel's alarm clock (docs/protocol.md 11): decides, signs, pushes, and looks whether what was pushed has ended. */
export function createAlarm({ store, kernel, lane, clock, report }: AlarmOptions): Alarm {
  const ways = firingWays({ store, kernel, lane });
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function decide(schedule: StoredSchedule): void {
    const { id, definition, cursor, since } = schedule;
    const now = Math.floor(clock.now() / MINUTE);
    const times = occurrencesOf(definition);
    const floor = store.floor(id);
    const { fire, skipped } = dueOf(times, Math.min(cursor, now), now, definition.missed);
    let open = store.open(id);
    // What is no longer on record was decided once: a clock that is set back does not make it again. Nor does one that was set back and is
    // right again make up for what came before the schedule counted.
    const isNone = (planned: number): boolean => planned <= floor || (planned <= since && since <= now && planned < now - MISSED_AFTER_MIN);
    const firings: Firing[] = skipped === undefined || isNone(skipped) ? [] : [firingOf(schedule, skipped, 'missed', store)];
    for (const planned of fire.filter((one) => !isNone(one))) {
      const firing = firingOf(schedule, planned, open < MAX_OPEN[definition.overlap] ? undefined : 'overlap', store);
      const stands = store.firing(firing.taskId);
      if (stands !== undefined && stands.state !== 'skipped') continue;
      if (firing.state === 'due') open += 1;
      firings.push({ ...firing, lookAt: firing.state === 'due' ? clock.now() : undefined });
    }
    store.decide({ id, cursor: now, next: times.after(now) }, firings);
  }

  async function push(firing: Firing): Promise<Change> {
    if (firing.planned * MINUTE > clock.now()) return { ...firing, lookAt: firing.planned * MINUTE };
    const end = await ways.push(firing);
    // Set back since it was looked at, the clock makes this a firing of later, which the kernel does not sign yet: it stands, and waits.
    if (end.kind === 'refused' && firing.planned * MINUTE > clock.now()) return { ...firing, lookAt: firing.planned * MINUTE };
    if (end.kind === 'refused') return { ...firing, state: 'refused', detail: end.code, lookAt: undefined };
    return AFTER_PUSH[end.kind]({ ...firing, pushes: firing.pushes + 1 }, clock.now());
  }

  async function look(firing: Firing): Promise<Change> {
    const standing = await ways.standing(firing);
    if (standing.kind === 'open') return { ...firing, lookAt: clock.now() + LOOK_MS };
    if (standing.kind === 'ended') return { ...firing, state: 'ended', detail: standing.code, lookAt: undefined };
    if (standing.kind !== 'unknown' && firing.pushes >= MAX_PUSHES) return { ...firing, state: 'ended', detail: 'unproven', lookAt: undefined };
    if (store.schedule(firing.schedule) === undefined) return { ...firing, state: 'ended', detail: 'removed', lookAt: undefined };
    const pushed = await push(firing);
    return standing.kind === 'unknown' || pushed.lookAt === undefined ? pushed : { ...pushed, lookAt: clock.now() + backoff(pushed.pushes) };
  }

  async function tend(firing: Firing): Promise<void> {
    try {
      store.update(firing.taskId, await (firing.state === 'due' ? push(firing) : look(firing)));
    } catch (error) {
      report(`the schedule ${firing.schedule} cannot push ${firing.taskId}: ${messageOf(error)}`);
      const hopeless = isWritError(error) && error.code === 'INVALID_MANIFEST';
      store.update(
        firing.taskId,
        hopeless ? { ...firing, state: 'refused', detail: error.code, lookAt: undefined } : { ...firing, lookAt: clock.now() + LOOK_MS },
      );
    }
  }

  let trimAt = Number.NEGATIVE_INFINITY;
  function trim(): void {
    if (clock.monotonic() < trimAt) return;
    trimAt = clock.monotonic() + TRIM_MS;
    store.trim(Math.floor(clock.now() / MINUTE) - KEPT_MIN, KEPT_NEWEST, TRIMMED);
  }

  async function pass(): Promise<void> {
    trim();
    for (const { id } of store.ripe(Math.floor(clock.now() / MINUTE))) {
      // Looked at now: one that has ended meanwhile is no overlap.
      for (const firing of store.pushed(id)) await tend(firing);
      const schedule = store.schedule(id);
      if (schedule?.state === 'active') decide(schedule);
    }
    for (const { taskId } of store.toLookAt(clock.now(), LOOKS_A_PASS)) {
      // Read anew: while another was pushed, its schedule may have been removed.
      const firing = store.firing(taskId);
      if (firing?.lookAt !== undefined) await tend(firing);
    }
  }

  const alone = (): Promise<void> => {
    running ??= pass().finally(() => {
      running = undefined;
    });
    return running;
  };
  const tick = (): void => void alone().catch((error: unknown) => report(`schedules: ${messageOf(error)}`));
  const part = lifecycle(
    () => {
      timer = setInterval(tick, TICK_MS);
      tick();
    },
    async () => {
      clearInterval(timer);
      // What waits for Redis ends with the connection; what was not recorded is pushed again after the next start.
      lane.interrupt?.();
      await running?.catch(() => undefined);
      await lane.close?.();
    },
  );
  return { ...part, pass: alone };
}

const AFTER_PUSH = {
  accepted: pushed,
  'in-flight': pushed,
  retried: pushed,
  finished: (firing) => ({ ...firing, state: 'ended', detail: 'SUCCESS', lookAt: undefined }),
  conflict: (firing) => ({ ...firing, state: 'ended', detail: 'TASK_ID_CONFLICT', lookAt: undefined }),
} satisfies Record<Receipt['kind'], (firing: Firing, now: number) => Change>;

function pushed(firing: Firing, now: number): Change {
  return { ...firing, state: 'pushed', detail: undefined, lookAt: now + LOOK_MS };
}

function backoff(pushes: number): number {
  return Math.min(LONGEST_MS, LOOK_MS * 2 ** Math.min(pushes, 20));
}
