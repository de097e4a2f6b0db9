import { failure, type Outcome } from '../../core/outcome.ts';
import type {
  BasePath,
  Entry,
  EntryType,
  FileIntent,
  FileMethod,
  FileOperation,
  FinishedEffect,
  FsRefusal,
  JournalView,
  ProcessIdentity,
  Task,
} from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { cannotTravel } from './attributes.ts';
import { exchanged, type OpenBases } from './bases.ts';
import type { FileDeps } from './deps.ts';
import type { Descriptors } from './descriptors.ts';
import { identityOf } from './identity.ts';
import type { FileRequest } from './inputs.ts';
import { type OpenedPath, openPath } from './opened-path.ts';
import { explain, explainStaying, type Refused } from './refusals.ts';
import { undoIdentity, undoRefusal } from './undo.ts';
import { temporaryName, vaultPath } from './vault-names.ts';

/** What is to be done, and what was found; nothing is changed yet. */
export type Prepared =
  | { readonly kind: 'ready'; readonly plan: PlannedIntent; readonly found: Survey }
  | { readonly kind: 'refused'; readonly outcome: Outcome }
  | { readonly kind: 'busy' };

/** Everything that is looked at before the intent. */
export async function prepare(task: Task, request: FileRequest, deps: FileDeps, descriptors: Descriptors): Promise<Prepared> {
  const prepared = await look(task, request, deps, descriptors);
  // A refusal can be the shadow of another process that has just done this very task (the source is gone because it was
  // moved). The journal is asked again before such an answer leaves: then the next delivery gets the recorded one.
  return prepared.kind === 'refused' && (await isTaken(task, deps)) ? { kind: 'busy' } : prepared;
}

/** Whether another process has begun or finished this task since it was recalled as unknown. */
export async function isTaken(task: Task, { journal }: Pick<FileDeps, 'journal'>): Promise<boolean> {
  return isKnown(await journal.view(task.manifest.task_id));
}

async function look(task: Task, request: FileRequest, deps: FileDeps, descriptors: Descriptors): Promise<Prepared> {
  const { task_id: taskId } = task.manifest;
  const isPlainMove = request.operation === 'move' && request.undoOf === undefined;
  const [early, undone] = isPlainMove ? [] : await Promise.all([deps.journal.view(taskId), undoneEffect(request, deps)]);
  if (early && isKnown(early)) return { kind: 'busy' };
  const place = destinationOf(request, taskId, numberAfter(early), undone);
  const found = await survey({ request, destination: place, undone }, deps.bases(descriptors), descriptors);
  if (!found.ok) return { kind: 'refused', outcome: found.error };
  // A rename names nothing after the attempt's number, and the request of its intent is refused by the journal where the task is known.
  const view = early ?? (found.value.method === 'copy' ? await deps.journal.view(taskId) : undefined);
  if (view && isKnown(view)) return { kind: 'busy' };
  const plan = planIntent(task, request, found.value, numberAfter(view), deps.instances.self, deps.limits.maxBytes);
  if (!plan.ok) return { kind: 'refused', outcome: plan.error };
  return { kind: 'ready', plan: plan.value, found: found.value };
}

/** Of the attempt that comes next, where the journal was asked. */
function numberAfter(view: JournalView | undefined): number {
  return (view?.attempts ?? 0) + 1;
}

async function undoneEffect({ undoOf }: FileRequest, deps: FileDeps): Promise<JournalView['success']> {
  return undoOf === undefined ? undefined : (await deps.journal.view(undoOf)).success;
}

function isKnown({ open, success }: JournalView): boolean {
  return open !== undefined || success !== undefined;
}

/** What was found at both paths. Nothing of it is relied on later without a second look. */
interface Survey {
  readonly source: OpenedPath;
  readonly destination: OpenedPath;
  readonly entry: Entry;
  readonly method: FileMethod;
  /** Of the destination's file system; undefined where no bytes are copied. */
  readonly freeBytes: number | undefined;
  /** Why the source would stay where it is after its bytes were copied; asked where the copy is to take its place. */
  readonly stays: Refused | undefined;
}

/** A request and where its file goes; for a delete into the vault. */
interface TransferPlan {
  readonly request: FileRequest;
  readonly destination: BasePath;
  /** The effect that is to be taken back. */
  readonly undone: FinishedEffect | undefined;
}

/** Opens both directories and looks at both names. */
async function survey(plan: TransferPlan, bases: OpenBases, descriptors: Descriptors): Promise<Result<Survey, Outcome>> {
  const { request } = plan;
  const refused = request.undoOf === undefined ? undefined : undoRefusal(request, plan.undone);
  if (refused) return failed(refused);

  const gone = exchanged(...[request.source, plan.destination].flatMap(({ base }) => bases.get(base) ?? []));
  if (gone !== undefined) return failed(failure('EXECUTION_FAILED', gone));

  const toVault = request.operation === 'delete';
  const [source, destination] = await openBoth(plan, bases, descriptors);
  if (!source.ok) return failed(explain("the source's directory", source));
  if (!destination.ok) return failed(explain(toVault ? 'the vault' : "the destination's directory", destination));

  const method = methodOf(request.operation, source.value, destination.value, bases);
  const [entry, standing, freeBytes, leaves] = await Promise.all([
    source.value.parent.entry(source.value.name),
    destination.value.parent.entry(destination.value.name),
    method === 'copy' ? destination.value.base.freeBytes() : undefined,
    method === 'copy' && request.operation === 'move' ? source.value.parent.mayLeave(source.value.name) : undefined,
  ]);
  if (!entry.ok) return failed(explain('the source', entry));
  if (entry.value.type !== 'file') return failed(failure('EXECUTION_FAILED', `the source is ${A_TYPE[entry.value.type]}; only regular files are touched`));
  const changed = plan.undone && undoIdentity(plan.undone, entry.value);
  if (changed) return failed(changed);
  if (standing.ok) return failed(occupied(standing.value, toVault));
  if (standing.refusal !== 'missing') return failed(explain('the destination', standing));
  const stays = leaves?.ok === false && FORBIDS.has(leaves.refusal) ? leaves : undefined;
  return ok({ source: source.value, destination: destination.value, entry: entry.value, method, freeBytes, stays });
}

/** Anything else says nothing about the move: the move itself will tell. */
const FORBIDS: ReadonlySet<FsRefusal> = new Set<FsRefusal>(['permission', 'read-only']);

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

/** An intent, and what it takes of a vault. */
interface PlannedIntent {
  readonly intent: FileIntent;
  readonly vaultBytes: number | undefined;
}

/** Where the file goes. The undo of an undone delete puts it back into the place that the undo took it from. */
function destinationOf(request: FileRequest, taskId: string, n: number, undone: FinishedEffect | undefined): BasePath {
  return request.destination ?? undone?.source ?? vaultPath(request.source.base, 'deleted', taskId, n);
}

/** From what was found to what will be done: method, names, limits. Pure. */
function planIntent(task: Task, request: FileRequest, found: Survey, n: number, self: ProcessIdentity, maxBytes: number): Result<PlannedIntent, Outcome> {
  const { method } = found;
  const refused = REFUSALS[method](request.operation, found, maxBytes);
  if (refused) return failed(refused);
  const { task_id: taskId } = task.manifest;
  const { source, destination, entry } = found;
  const retires = method === 'copy' && request.operation === 'move';
  const intent: FileIntent = {
    taskId,
    manifestSha256: task.manifestSha256,
    authority: task.authority,
    process: self,
    operation: request.operation,
    method,
    source: plain(source.path),
    destination: plain(destination.path),
    sourceIdentity: identityOf(entry),
    temporary: method === 'copy' ? temporaryName(taskId, n) : undefined,
    retired: retires ? vaultPath(source.path.base, 'retired', taskId, n) : undefined,
    undoOf: request.undoOf,
  };
  // Bytes of a file that has other names are not freed by deleting this one, and not kept by the vault alone.
  const vaultBytes = request.operation === 'delete' || retires ? (entry.nlink === 1 ? Number(entry.size) : 0) : undefined;
  return ok({ intent, vaultBytes });
}

/** What each method cannot do, known before anything is done. */
const REFUSALS = {
  rename: () => undefined,
  link: (_, { entry }) =>
    entry.nlink > 1 ? failure('EXECUTION_FAILED', 'the source has hard links, and its file system cannot rename without replacing') : undefined,
  copy: (operation, { entry, freeBytes, stays }, maxBytes) => {
    if (operation === 'delete') return failure('EXECUTION_FAILED', 'the source does not lie on the file system of its vault');
    if (stays !== undefined) return explainStaying(stays);
    const lost = operation === 'move' ? cannotTravel(entry) : undefined;
    if (lost !== undefined) return failure('EXECUTION_FAILED', lost);
    if (Number(entry.size) > maxBytes) return failure('RESOURCE_EXHAUSTED', `the source is larger than ${maxBytes} bytes`);
    // Holes take no room. Whether the data finds some is seen when it is asked for.
    if (Math.min(Number(entry.size), Number(entry.allocatedBytes)) > (freeBytes ?? 0))
      return failure('RESOURCE_EXHAUSTED', 'the destination has no room left on its file system');
    return undefined;
  },
} satisfies Record<FileMethod, (operation: FileOperation, found: Survey, maxBytes: number) => Outcome | undefined>;

function plain({ base, segments }: BasePath): BasePath {
  return { base, segments };
}
