import { failure, type Outcome } from '../../core/outcome.ts';
import type { BasePath, FileIntent, FileMethod, FileOperation, FinishedEffect, ProcessIdentity, Task } from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { cannotTravel } from './attributes.ts';
import { identityOf } from './identity.ts';
import type { FileRequest } from './inputs.ts';
import type { Survey } from './survey.ts';
import { temporaryName, vaultPath } from './vault-names.ts';

/** An intent, and what it takes of a vault. */
export interface PlannedIntent {
  readonly intent: FileIntent;
  readonly vaultBytes: number | undefined;
}

/** Where the file goes. The undo of an undone delete puts it back into the place that the undo took it from. */
export function destinationOf(request: FileRequest, taskId: string, n: number, undone: FinishedEffect | undefined): BasePath {
  return request.destination ?? undone?.source ?? vaultPath(request.source.base, 'deleted', taskId, n);
}

/** From what was found to what will be done: method, names, limits. Pure. */
export function planIntent(
  task: Task,
  request: FileRequest,
  found: Survey,
  n: number,
  self: ProcessIdentity,
  maxBytes: number,
): Result<PlannedIntent, Outcome> {
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
  copy: (operation, { entry, freeBytes }, maxBytes) => {
    if (operation === 'delete') return failure('EXECUTION_FAILED', 'the source does not lie on the file system of its vault');
    const lost = operation === 'move' ? cannotTravel(entry) : undefined;
    if (lost !== undefined) return failure('EXECUTION_FAILED', lost);
    if (Number(entry.size) > maxBytes) return failure('RESOURCE_EXHAUSTED', `the source is larger than ${maxBytes} bytes`);
    if (Number(entry.size) > (freeBytes ?? 0)) return failure('RESOURCE_EXHAUSTED', 'the destination has no room left on its file system');
    return undefined;
  },
} satisfies Record<FileMethod, (operation: FileOperation, found: Survey, maxBytes: number) => Outcome | undefined>;

function plain({ base, segments }: BasePath): BasePath {
  return { base, segments };
}
