import type { Jump, Model, ScheduleAsk, Span } from '../model.ts';
import type { FiringRecord, World } from '../world.ts';
import { jumpAt, readingsOf } from './clock.ts';

const MINUTE = 60_000;

/**
 * A firing is never invented: it was planned while its schedule was active, by the kernel's clock, once for each time, and
 * what the provider heard is a firing on record. Each due time was made or left out as the settings say. A firing that was
 * made stands, whatever the clock says later; it has one effect, as it ended, and not before its time by everybody else's clock.
 */
export function judgeFirings({ schedules, jumps, early }: Model, world: World): readonly string[] {
  return schedules.flatMap((schedule) => {
    const mine = world.firings.filter((firing) => firing.schedule === schedule.id);
    const seen = early.filter((firing) => firing.schedule === schedule.id).map(({ planned }) => planned);
    return [
      ...invented(schedule, mine, jumps),
      ...doubled(schedule, mine),
      ...left(schedule, mine, jumps),
      ...forgotten(schedule, mine, seen),
      ...given(schedule, mine),
      ...hasty(schedule, mine, world),
      ...requested(schedule, mine, world),
    ];
  });
}

const isMade = ({ state }: FiringRecord): boolean => state !== 'skipped';
const shown = (planned: number): string => new Date(planned * MINUTE).toISOString();

function invented({ id, active }: ScheduleAsk, firings: readonly FiringRecord[], jumps: readonly Jump[]): readonly string[] {
  // A time is decided within its minute or later, never before.
  const spans = active.map(({ mayFrom, mayUntil }) => readingsOf(jumps, mayFrom, mayUntil));
  const may = (planned: number): boolean => spans.some(({ least, most }) => planned * MINUTE > least - MINUTE && planned * MINUTE <= most);
  return firings
    .filter((firing) => isMade(firing) && !may(firing.planned))
    .map(({ planned }) => `${id} has fired for ${shown(planned)}, when it was not active`);
}

function doubled({ id }: ScheduleAsk, firings: readonly FiringRecord[]): readonly string[] {
  const seen = new Set<number>();
  return firings.filter(({ planned }) => (seen.has(planned) ? true : !seen.add(planned))).map(({ planned }) => `${id} has two firings for ${shown(planned)}`);
}

/** Why a time may be left out: `overlap` where it says so, `missed` where no kernel was there and not all are made up for. */
function left({ id, active, missed, overlap, removed }: ScheduleAsk, firings: readonly FiringRecord[], jumps: readonly Jump[]): readonly string[] {
  const due = active.map((span) => owed(span, jumps)).flatMap(({ from, until }) => minutesIn(from, Math.min(until, lastOf(firings))));
  const faults = due.flatMap((planned) => {
    const firing = firings.find((one) => one.planned === planned);
    if (firing !== undefined && isMade(firing)) return [];
    if (firing?.detail === 'overlap' && overlap === 'skip') return [];
    if (firing?.detail === 'removed') return [];
    // The newest of those that were missed is on record, for all before it.
    const wasMissed = missed !== 'all' && firings.some((one) => one.detail === 'missed' && one.planned >= planned);
    // While the clock was wrong it was jumped over, and is past when the clock is right again.
    const wasJumped = missed !== 'all' && jumpAt(jumps, planned * MINUTE) !== undefined;
    return wasMissed || wasJumped
      ? []
      : [
          `${id} (missed ${missed}, overlap ${overlap}) was due at ${shown(planned)}: ${firing === undefined ? 'not on record' : `left out as ${firing.detail}`}`,
        ];
  });
  const open = firings
    .filter(({ state }) => !removed && (state === 'due' || state === 'pushed'))
    .map(({ planned, state }) => `${id}: the firing for ${shown(planned)} is ${state} for ever`);
  return [...faults, ...open];
}

/** A schedule that was added, resumed or paused while the kernel's clock was wrong: by that clock other times were due. */
function owed({ mayFrom, mustFrom, mustUntil, mayUntil }: Span, jumps: readonly Jump[]): { readonly from: number; readonly until: number } {
  const begun = jumps.filter((jump) => jump.from <= mustFrom && mayFrom <= jump.until).map(({ until }) => until + MINUTE);
  const ended = jumps.filter((jump) => jump.from <= mayUntil && mustUntil <= jump.until).map(({ from }) => from);
  return { from: Math.max(mustFrom, ...begun), until: Math.min(mustUntil, ...ended) };
}

/** Made while the clock was ahead, and seen: it is the firing of that time for ever. */
function forgotten({ id }: ScheduleAsk, firings: readonly FiringRecord[], seen: readonly number[]): readonly string[] {
  return seen
    .filter((planned) => !firings.some((one) => one.planned === planned && (isMade(one) || one.detail === 'removed')))
    .map((planned) => `${id} had a firing for ${shown(planned)} while the clock was ahead, and has none`);
}

/** Nobody revokes anything here, and whoever signs an end is known: no firing may be given up. */
function given({ id }: ScheduleAsk, firings: readonly FiringRecord[]): readonly string[] {
  return firings
    .filter(({ state, detail }) => state === 'refused' || detail === 'unproven')
    .map(({ planned, state, detail }) => `${id}: the firing for ${shown(planned)} was given up as ${state} ${detail ?? ''}`);
}

/** What a worker grants to clocks that differ (`lease.clock_skew_s`), and a tick. */
const GRANTED_MS = 60_000 + 1000;

function hasty({ id, copies }: ScheduleAsk, firings: readonly FiringRecord[], { asked, changed }: World): readonly string[] {
  return firings.flatMap(({ id: key, planned }) => {
    const time = new Date(planned * MINUTE).toISOString();
    const done = [...asked.filter((one) => one.key === key).map(({ at }) => at), changed.get(copies?.destination(time) ?? '')];
    return done
      .filter((at) => at !== undefined && at < planned * MINUTE - GRANTED_MS)
      .map((at) => `${id}: the firing for ${time} was done at ${new Date(at ?? 0).toISOString()}`);
  });
}

/** Only what came before the last record is judged: the next minute may not have been decided when all was stopped. */
function lastOf(firings: readonly FiringRecord[]): number {
  return Math.max(0, ...firings.map(({ planned }) => planned)) * MINUTE;
}

function minutesIn(from: number, until: number): readonly number[] {
  const first = Math.floor(from / MINUTE) + 1;
  const last = Math.floor(until / MINUTE);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

/** Ends that do not tell whether it was done. */
const OPEN: readonly string[] = ['TOOL_OUTCOME_UNKNOWN', 'removed', ''];

/** Requests of a schedule leave once for each firing: under its own id, and under no other. */
function requested({ id, makes }: ScheduleAsk, firings: readonly FiringRecord[], { asked }: World): readonly string[] {
  if (makes !== 'request') return [];
  const heard = asked.filter(({ n }) => n === id);
  const made = new Map(firings.filter(isMade).map((firing) => [firing.id, firing]));
  const strangers = heard.filter(({ key }) => !made.has(key)).map(({ key }) => `${id}: ${key} was heard, and is no firing on record`);
  const unheard = [...made.values()]
    .filter(({ detail, id: key }) => detail === 'SUCCESS' && !heard.some((one) => one.key === key))
    .map(({ planned }) => `${id}: the firing for ${shown(planned)} ended with SUCCESS, and nobody heard it`);
  const untold = [...made.values()]
    .filter(({ detail, id: key }) => detail !== 'SUCCESS' && !OPEN.includes(detail ?? '') && heard.some((one) => one.key === key && one.status === 200))
    .map(({ planned, detail }) => `${id}: the firing for ${shown(planned)} ended with ${detail}, and was done`);
  return [...strangers, ...unheard, ...untold];
}
