import { failure, type Outcome } from '../../core/outcome.ts';
import type { Entry, EntryType, FileMethod, FileOperation, FinishedEffect } from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { OpenBases } from './bases.ts';
import type { Descriptors } from './descriptors.ts';
import type { FileRequest } from './inputs.ts';
import { type OpenedPath, openPath } from './opened-path.ts';
import { explain } from './refusals.ts';
import { undoIdentity, undoRefusal } from './undo.ts';

/** What was found before an intent is written. Nothing of it is relied on later without a second look. */
export interface Survey {
  readonly source: OpenedPath;
  readonly destination: OpenedPath;
  readonly entry: Entry;
  readonly method: FileMethod;
  /** Of the destination's file system; undefined where no bytes are copied. */
  readonly freeBytes: number | undefined;
}

/** A request and where its file goes; for a delete into the vault. */
export interface TransferPlan {
  readonly request: FileRequest;
  readonly destination: FileRequest['source'] | { readonly base: string; readonly segments: readonly string[] };
  /** The effect that is to be taken back. */
  readonly undone: FinishedEffect | undefined;
}

/** Opens both directories and looks at both names. */
export async function survey(plan: TransferPlan, bases: OpenBases, descriptors: Descriptors): Promise<Result<Survey, Outcome>> {
  const { request } = plan;
  const refused = request.undoOf === undefined ? undefined : undoRefusal(request, plan.undone);
  if (refused) return failed(refused);

  const toVault = request.operation === 'delete';
  const [source, destination] = await openBoth(plan, bases, descriptors);
  if (!source.ok) return failed(explain("the source's directory", source));
  if (!destination.ok) return failed(explain(toVault ? 'the vault' : "the destination's directory", destination));

  const method = methodOf(request.operation, source.value, destination.value, bases);
  const [entry, standing, freeBytes] = await Promise.all([
    source.value.parent.entry(source.value.name),
    destination.value.parent.entry(destination.value.name),
    method === 'copy' ? destination.value.base.freeBytes() : undefined,
  ]);
  if (!entry.ok) return failed(explain('the source', entry));
  if (entry.value.type !== 'file') return failed(failure('EXECUTION_FAILED', `the source is ${A_TYPE[entry.value.type]}; only regular files are touched`));
  const changed = plan.undone && undoIdentity(plan.undone, entry.value);
  if (changed) return failed(changed);
  if (standing.ok) return failed(occupied(standing.value, toVault));
  if (standing.refusal !== 'missing') return failed(explain('the destination', standing));
  return ok({ source: source.value, destination: destination.value, entry: entry.value, method, freeBytes });
}

/** One descriptor where both names lie in one directory. */
async function openBoth({ request: { source }, destination }: TransferPlan, bases: OpenBases, descriptors: Descriptors): Promise<readonly [Opened, Opened]> {
  if (directoryKey(source) !== directoryKey(destination)) return Promise.all([openPath(bases, source, descriptors), openPath(bases, destination, descriptors)]);
  const first = await openPath(bases, source, descriptors);
  if (!first.ok) return [first, first];
  return [first, { ok: true, value: { ...first.value, path: destination, name: destination.segments.at(-1) ?? '' } }];
}

type Opened = Awaited<ReturnType<typeof openPath>>;

function methodOf(operation: FileOperation, source: OpenedPath, destination: OpenedPath, bases: OpenBases): FileMethod {
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
