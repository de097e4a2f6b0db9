import type { ScheduleAction, ScheduleFiring, ScheduleRequest, ScheduleView } from '../../contracts/index.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Clock } from '../../core/clock.ts';
import { WritError } from '../../core/errors.ts';
import { manifestSha256 } from '../../core/hash.ts';
import type { Firing, ScheduleStore, StoredSchedule } from '../../core/ports/index.ts';
import { planIdOf } from './firing.ts';
import { occurrencesOf } from './occurrence.ts';
import { type LeaseJudge, readRequest } from './request.ts';

/** What the kernel does with schedules when it is asked; `by` is written to its own log. */
export interface ScheduleRegistry {
  add(request: ScheduleRequest, by: string | undefined): Promise<ScheduleView>;
  list(): readonly ScheduleView[];
  show(id: string): ScheduleView;
  act(id: string, action: ScheduleAction, by: string | undefined): ScheduleView;
}

export interface ScheduleRegistryOptions {
  readonly store: ScheduleStore;
  /** Says whether a manifest or a plan may have a lease. */
  readonly kernel: LeaseJudge;
  readonly clock: Clock;
}

const MINUTE = 60_000;
const MAX_SCHEDULES = 1_000;
const FIRINGS_SHOWN = 50;

/** The register of schedules (docs/protocol.md 11). */
export function createScheduleRegistry({ store, kernel, clock }: ScheduleRegistryOptions): ScheduleRegistry {
  const minute = (): number => Math.floor(clock.now() / MINUTE);
  const known = (id: string): StoredSchedule => {
    const schedule = store.schedule(id);
    if (schedule === undefined) throw new WritError('NOT_FOUND', `there is no schedule ${JSON.stringify(id.slice(0, 128))}`, { field: 'id' });
    return schedule;
  };
  const shown = (id: string): ScheduleView => ({ ...viewOf(known(id)), firings: store.firings(id, FIRINGS_SHOWN).map(firingView) });

  return {
    async add(request, by) {
      const { id, definition, envelope, registered, assertLeasable } = readRequest(request);
      const cursor = minute();
      const next = occurrencesOf(definition).after(cursor);
      if (next === undefined) throw new WritError('INVALID_ARGUMENT', 'cron: this time never comes', { field: 'cron' });
      await assertLeasable(next, kernel);
      const earlier = store.schedule(id);
      if (earlier !== undefined) {
        if (canonicalJson(earlier.definition) === canonicalJson(definition)) return shown(id);
        throw new WritError('WRONG_STATE', `the schedule ${id} is registered with another definition; remove it first`, {
          field: definition.manifest === undefined ? 'id' : 'manifest.task_id',
        });
      }
      if (store.schedules().length >= MAX_SCHEDULES) throw new WritError('WRONG_STATE', `at most ${MAX_SCHEDULES} schedules are kept`);
      const details = { cron: definition.cron, tz: definition.tz, ...registered };
      const schedule: StoredSchedule = { id, definition, state: 'active', cursor, next, by, at: clock.now(), since: cursor };
      store.put(schedule, { action: 'add', schedule: id, by, details }, clock.now(), envelope);
      return shown(id);
    },

    list: () => store.schedules().map(viewOf),
    show: shown,

    act(id, action, by) {
      const schedule = known(id);
      const entry = { action, schedule: id, by, details: {} };
      if (action === 'remove') {
        const last = shown(id);
        store.remove(id, entry, clock.now());
        return last;
      }
      const state = action === 'pause' ? 'paused' : 'active';
      if (schedule.state === state) return shown(id);
      // What came while it was paused was not missed: its times count from now.
      const cursor = minute();
      const since = state === 'active' ? cursor : schedule.since;
      store.put({ ...schedule, state, cursor, since, next: occurrencesOf(schedule.definition).after(cursor) }, entry, clock.now());
      return shown(id);
    },
  };
}

function viewOf({ id, definition, state, next, by, at }: StoredSchedule): ScheduleView {
  return {
    id,
    state,
    ...definition,
    ...(definition.manifest === undefined ? {} : { manifest_sha256: manifestSha256(definition.manifest) }),
    registered_at: new Date(at).toISOString(),
    ...(by === undefined ? {} : { registered_by: by }),
    ...(next === undefined || state === 'paused' ? {} : { next: timeOf(next) }),
  };
}

function firingView({ taskId, planned, state, detail, pushes }: Firing): ScheduleFiring {
  const planId = planIdOf({ taskId });
  const name = planId === undefined ? { task_id: taskId } : { plan_id: planId };
  return { ...name, planned: timeOf(planned), state, ...(detail === undefined ? {} : { detail }), pushes };
}

function timeOf(minute: number): string {
  return new Date(minute * MINUTE).toISOString();
}
