import { VAULT_DIRECTORY } from '../../contracts/index.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import type { BasePath, FileIdentity, FinishedEffect } from '../../core/ports/index.ts';
import { sameFile } from './identity.ts';
import type { FileRequest } from './inputs.ts';

/**
 * Whether a request with `provenance.undo_of` takes back exactly the recorded effect (`docs/protocol.md` 8), as far as the
 * journal tells. `undoIdentity` looks at the file.
 *
 * @param recorded the SUCCESS of the task that is named, if the journal has one
 */
export function undoRefusal(request: FileRequest, recorded: FinishedEffect | undefined): Outcome | undefined {
  if (!recorded) return no('not the recorded effect: this host knows no such finished task');
  if (recorded.operation === 'copy') return no('not the recorded effect: a copy has no undo');
  if (!samePath(request.source, recorded.destination)) return no('not the recorded effect: the source is not where the task put the file');
  if (!goesBack(request, recorded)) return no('not the recorded effect: the destination is not where the task took the file from');
  if (recorded.undoneBy !== undefined) return no('already undone');
  return undefined;
}

/** The file must still be the one that the recorded effect left. */
export function undoIdentity(recorded: FinishedEffect, found: FileIdentity): Outcome | undefined {
  return sameFile(recorded.outcomeIdentity, found) ? undefined : no('changed since: the file is not the one that the task left');
}

/** Exactly swapped. A delete names no destination: it is the undo of an undone delete, whose file came from the vault. */
function goesBack({ operation, source, destination }: FileRequest, recorded: FinishedEffect): boolean {
  if (operation === 'delete') return recorded.source.base === source.base && isVaultPath(recorded.source);
  return destination !== undefined && samePath(destination, recorded.source);
}

function isVaultPath({ segments }: BasePath): boolean {
  return segments[0] === VAULT_DIRECTORY;
}

function samePath(a: BasePath, b: BasePath): boolean {
  return a.base === b.base && a.segments.length === b.segments.length && a.segments.every((segment, index) => segment === b.segments[index]);
}

function no(why: string): Outcome {
  return failure('EXECUTION_FAILED', `undo: ${why}`);
}
