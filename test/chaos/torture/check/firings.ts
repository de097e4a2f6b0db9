import type { Model, ScheduleAsk } from '../model.ts';
import type { FiringRecord, World } from '../world.ts';

const MINUTE = 60_000;

/**
 * A firing is never invented: it was planned while its schedule was active, once for each time, and what the provider heard
 * is a firing on record. Each due time was made or left out as the settings say. A firing has one effect, as it ended.
 */
export function judgeFirings({ schedules }: Model, world: World): readonly string[] {
  return schedules.flatMap((schedule) => {
    const mine = world.firings.filter((firing) => firing.schedule === schedule.id);
    return [...invented(schedule, mine), ...doubled(schedule, mine), ...left(schedule, mine), ...requested(schedule, mine, world)];
  });
}

const isMade = ({ state }: FiringRecord): boolean => state !== 'skipped';
const shown = (planned: number): string => new Date(planned * MINUTE).toISOString();

function invented({ id, active }: ScheduleAsk, firings: readonly FiringRecord[]): readonly string[] {
  // A time is decided within its minute or later, never before.
  const may = (planned: number): boolean => active.some(({ mayFrom, mayUntil }) => planned * MINUTE > mayFrom - MINUTE && planned * MINUTE <= mayUntil);
  return firings
    .filter((firing) => isMade(firing) && !may(firing.planned))
    .map(({ planned }) => `${id} has fired for ${shown(planned)}, when it was not active`);
}

function doubled({ id }: ScheduleAsk, firings: readonly FiringRecord[]): readonly string[] {
  const seen = new Set<number>();
  return firings.filter(({ planned }) => (seen.has(planned) ? true : !seen.add(planned))).map(({ planned }) => `${id} has two firings for ${shown(planned)}`);
}

/** Why a time may be left out: `overlap` where it says so, `missed` where no kernel was there and not all are made up for. */
function left({ id, active, missed, overlap, removed }: ScheduleAsk, firings: readonly FiringRecord[]): readonly string[] {
  const due = active.flatMap(({ mustFrom, mustUntil }) => minutesIn(mustFrom, Math.min(mustUntil, lastOf(firings))));
  const faults = due.flatMap((planned) => {
    const firing = firings.find((one) => one.planned === planned);
    if (firing !== undefined && isMade(firing)) return [];
    if (firing?.detail === 'overlap' && overlap === 'skip') return [];
    if (firing?.detail === 'removed') return [];
    // The newest of those that were missed is on record, for all before it.
    const wasMissed = missed !== 'all' && firings.some((one) => one.detail === 'missed' && one.planned >= planned);
    return wasMissed
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
