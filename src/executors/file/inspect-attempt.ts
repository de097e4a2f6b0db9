import type { BasePath, Entry, FsRefusal, OpenAttempt } from '../../core/ports/index.ts';
import { exchanged } from './bases.ts';
import type { Facts } from './classify.ts';
import type { Attempt } from './effect.ts';
import { factsOf } from './facts.ts';
import { type OpenedPath, openPath } from './opened-path.ts';
import type { Refused } from './refusals.ts';
import { withdrawnPlace } from './withdraw.ts';

/** What recovery found of an open attempt. */
export interface AttemptFindings {
  readonly facts: Facts;
  readonly source: PathState;
  readonly destination: PathState;
  readonly retired: PathState;
}

/** One path of an intent: opened, if its directory can still be reached from its base, and what stands there. */
export interface PathState {
  readonly opened: OpenedPath | undefined;
  readonly entry: Entry | undefined;
  readonly refused: Refused | undefined;
}

/** Why nobody can tell now: nothing is touched, the task is busy. */
export interface InspectionFailure {
  readonly cannotInspect: string;
}

/** Refusals that say: the file of that path is not there. Anything else says that nobody can tell. */
const NOT_THERE: ReadonlySet<FsRefusal> = new Set<FsRefusal>(['missing', 'not-a-directory', 'symlink', 'escape', 'mount']);

/** Looks at every name that the intent mentions. */
export async function inspectAttempt(attempt: Attempt, open: OpenAttempt): Promise<AttemptFindings | InspectionFailure> {
  const { bases, intent } = attempt;
  for (const { base } of [intent.source, intent.destination]) {
    const held = bases.get(base);
    const gone = held === undefined ? `base directory ${base} of an open attempt is not configured` : exchanged(held);
    if (gone !== undefined) return { cannotInspect: gone };
  }
  const places = [intent.source, intent.destination, intent.retired, intent.retired && withdrawnPlace(intent, open.n)];
  const [source, destination, retired, withdrawn] = await Promise.all(places.map((path) => inspectPath(attempt, path)));
  if (!source || !destination || !retired || !withdrawn) throw new Error('four paths give four spots');
  const temporary = await inspectTemporary(attempt, destination);
  const unclear = [source, destination, retired, temporary, withdrawn].find(({ refused }) => refused && !NOT_THERE.has(refused.refusal));
  if (unclear) return { cannotInspect: `a path of an open attempt cannot be looked at (${unclear.refused?.errno})` };

  const [at, to, into, beside, kept] = [source, destination, retired, temporary, withdrawn].map(({ entry }) => entry);
  const facts = factsOf(open, { source: at, destination: to, retired: into, temporary: beside, withdrawn: kept });
  return { facts, source, destination, retired };
}

async function inspectPath({ bases, descriptors }: Attempt, path: BasePath | undefined): Promise<PathState> {
  if (!path) return NOWHERE;
  const opened = await openPath(bases, path, descriptors);
  return opened.ok ? inspectName(opened.value) : { opened: undefined, entry: undefined, refused: opened };
}

async function inspectTemporary({ intent }: Attempt, { opened }: PathState): Promise<PathState> {
  return opened && intent.temporary !== undefined ? inspectName({ ...opened, name: intent.temporary }) : NOWHERE;
}

async function inspectName(opened: OpenedPath): Promise<PathState> {
  const entry = await opened.parent.entry(opened.name);
  return entry.ok ? { opened, entry: entry.value, refused: undefined } : { opened, entry: undefined, refused: entry };
}

const NOWHERE: PathState = { opened: undefined, entry: undefined, refused: undefined };
