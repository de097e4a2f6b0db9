import { failure, type Outcome } from '../../core/outcome.ts';
import type { Entry, EntryType, FileMethod, FileOperation, FinishedEffect } from '../../core/ports/index.ts';
import type { OpenBases } from './bases.ts';
import type { Holder } from './holder.ts';
import type { FileRequest, Parsed } from './inputs.ts';
import { openPlace, type Place } from './places.ts';
import { explain } from './refusals.ts';
import { undoIdentity, undoRefusal } from './undo.ts';

/** What was found before an intent is written. Nothing of it is relied on later without a second look. */
export interface Survey {
  readonly source: Place;
  readonly destination: Place;
  readonly entry: Entry;
  readonly method: FileMethod;
  /** Of the destination's file system; undefined where no bytes are copied. */
  readonly freeBytes: number | undefined;
}

/** Where a request goes; for a delete into the vault. */
export interface Journey {
  readonly request: FileRequest;
  readonly destination: FileRequest['source'] | { readonly base: string; readonly segments: readonly string[] };
  /** The effect that is to be taken back. */
  readonly undone: FinishedEffect | undefined;
}

/** Opens both directories and looks at both names. */
export async function survey(journey: Journey, bases: OpenBases, holder: Holder): Promise<Parsed<Survey>> {
  const { request } = journey;
  const refused = request.undoOf === undefined ? undefined : undoRefusal(request, journey.undone);
  if (refused) return no(refused);

  const toVault = request.operation === 'delete';
  const [source, destination] = await openBoth(journey, bases, holder);
  if (!source.ok) return no(explain("the source's directory", source));
  if (!destination.ok) return no(explain(toVault ? 'the vault' : "the destination's directory", destination));

  const method = methodOf(request.operation, source.value, destination.value, bases);
  const [entry, standing, freeBytes] = await Promise.all([
    source.value.parent.entry(source.value.name),
    destination.value.parent.entry(destination.value.name),
    method === 'copy' ? destination.value.base.freeBytes() : undefined,
  ]);
  if (!entry.ok) return no(explain('the source', entry));
  if (entry.value.type !== 'file') return no(failure('EXECUTION_FAILED', `the source is ${A_TYPE[entry.value.type]}; only regular files are touched`));
  const changed = journey.undone && undoIdentity(journey.undone, entry.value);
  if (changed) return no(changed);
  if (standing.ok) return no(occupied(standing.value, toVault));
  if (standing.refusal !== 'missing') return no(explain('the destination', standing));
  return { ok: true, value: { source: source.value, destination: destination.value, entry: entry.value, method, freeBytes } };
}

/** One descriptor where both names lie in one directory. */
async function openBoth({ request: { source }, destination }: Journey, bases: OpenBases, holder: Holder): Promise<readonly [Opened, Opened]> {
  if (directoryKey(source) !== directoryKey(destination)) return Promise.all([openPlace(bases, source, holder), openPlace(bases, destination, holder)]);
  const first = await openPlace(bases, source, holder);
  if (!first.ok) return [first, first];
  return [first, { ok: true, value: { ...first.value, path: destination, name: destination.segments.at(-1) ?? '' } }];
}

type Opened = Awaited<ReturnType<typeof openPlace>>;

function methodOf(operation: FileOperation, source: Place, destination: Place, bases: OpenBases): FileMethod {
  if (operation === 'copy') return 'copy';
  // Within one base a subvolume can have a device number of its own.
  const joined = source.parent.identity.dev === destination.parent.identity.dev;
  return joined ? bases.methodBetween(source.base.id, destination.base.id) : 'copy';
}

function directoryKey({ base, segments }: { readonly base: string; readonly segments: readonly string[] }): string {
  return JSON.stringify([base, ...segments.slice(0, -1)]);
}

const A_TYPE = {
  file: 'a regular file',
  directory: 'a directory',
  symlink: 'a symbolic link',
  other: 'a device, pipe or socket',
} satisfies Record<EntryType, string>;

function occupied({ type }: Entry, toVault: boolean): Outcome {
  if (toVault) return failure('EXECUTION_FAILED', 'the place in the vault exists');
  return failure('EXECUTION_FAILED', type === 'file' ? 'the destination exists' : `the destination exists and is ${A_TYPE[type]}`);
}

function no(outcome: Outcome): { readonly ok: false; readonly outcome: Outcome } {
  return { ok: false, outcome };
}
