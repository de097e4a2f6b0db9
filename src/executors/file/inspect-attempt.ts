import type { BasePath, Entry, FsRefusal, OpenAttempt } from '../../core/ports/index.ts';
import type { Facts } from './classify.ts';
import type { Attempt } from './effect.ts';
import { factsOf } from './facts.ts';
import { openPlace, type Place } from './places.ts';
import type { Refused } from './refusals.ts';

/** What recovery found of an open attempt. */
export interface Scene {
  readonly facts: Facts;
  readonly source: Spot;
  readonly destination: Spot;
  readonly retired: Spot;
}

/** One path of an intent: the place, if its directory can still be reached from its base, and what stands there. */
export interface Spot {
  readonly place: Place | undefined;
  readonly entry: Entry | undefined;
  readonly refused: Refused | undefined;
}

/** Nobody can tell now: nothing is touched, the task is busy. */
export interface CannotLook {
  readonly cannotLook: string;
}

/** Refusals that say: the file of that path is not there. Anything else says that nobody can tell. */
const NOT_THERE: ReadonlySet<FsRefusal> = new Set<FsRefusal>(['missing', 'not-a-directory', 'symlink', 'escape', 'mount']);

/** Looks at every name that the intent mentions. */
export async function readScene(attempt: Attempt, open: OpenAttempt): Promise<Scene | CannotLook> {
  const { bases, intent } = attempt;
  for (const { base } of [intent.source, intent.destination]) {
    if (!bases.get(base)) return { cannotLook: `base directory ${base} of an open attempt is not configured` };
  }
  const [source, destination, retired] = await Promise.all([intent.source, intent.destination, intent.retired].map((path) => lookAt(attempt, path)));
  if (!source || !destination || !retired) throw new Error('three paths give three spots');
  const temporary = await lookAtTemporary(attempt, destination);
  const unclear = [source, destination, retired, temporary].find(({ refused }) => refused && !NOT_THERE.has(refused.refusal));
  if (unclear) return { cannotLook: `a path of an open attempt cannot be looked at (${unclear.refused?.errno})` };

  const facts = factsOf(open, { source: source.entry, destination: destination.entry, retired: retired.entry, temporary: temporary.entry });
  return { facts, source, destination, retired };
}

async function lookAt({ bases, holder }: Attempt, path: BasePath | undefined): Promise<Spot> {
  if (!path) return NOWHERE;
  const place = await openPlace(bases, path, holder);
  return place.ok ? lookIn(place.value) : { place: undefined, entry: undefined, refused: place };
}

async function lookAtTemporary({ intent }: Attempt, { place }: Spot): Promise<Spot> {
  return place && intent.temporary !== undefined ? lookIn({ ...place, name: intent.temporary }) : NOWHERE;
}

async function lookIn(place: Place): Promise<Spot> {
  const entry = await place.parent.entry(place.name);
  return entry.ok ? { place, entry: entry.value, refused: undefined } : { place, entry: undefined, refused: entry };
}

const NOWHERE: Spot = { place: undefined, entry: undefined, refused: undefined };
