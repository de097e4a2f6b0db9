import type { ResultErrorCode } from '../../contracts/index.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import type { FsRefusal } from '../../core/ports/index.ts';

/** A refusal of the file system, as the port hands it out. */
export interface Refused {
  readonly ok: false;
  readonly refusal: FsRefusal;
  readonly errno: string;
}

interface Meaning {
  readonly code: ResultErrorCode;
  readonly says: string;
}

const failed = (says: string): Meaning => ({ code: 'EXECUTION_FAILED', says });

/** What each refusal means to the producer. Everything that a path can do wrong is EXECUTION_FAILED; only room is a resource. */
const MEANING = {
  missing: failed('does not exist'),
  exists: failed('exists'),
  'not-a-directory': failed('has a component that is not a directory'),
  'not-a-file': failed('is not a regular file'),
  symlink: failed('contains a symbolic link'),
  escape: failed('leaves its base directory'),
  mount: failed('crosses a mount point below its base directory'),
  'cross-device': failed('lies on another file system within its base directory'),
  'no-space': { code: 'RESOURCE_EXHAUSTED', says: 'has no room left on its file system' },
  permission: failed('may not be accessed by this worker'),
  'name-too-long': failed('has a name that is too long for its file system'),
  'read-only': failed('lies on a read-only file system'),
  unsupported: failed('lies on a file system that cannot do this without replacing'),
  io: failed('could not be read or written'),
} satisfies Record<FsRefusal, Meaning>;

/** Refusals of a move into a vault that are about the place there and not about the file. */
const OF_THE_PLACE: ReadonlySet<FsRefusal> = new Set<FsRefusal>(['exists', 'no-space', 'name-too-long']);

/** The FAILURE for a source that cannot be taken from its directory into the vault: it may be read, and it stays. */
export function explainStaying(refused: Refused): Outcome {
  if (refused.refusal === 'permission') return failure('EXECUTION_FAILED', 'the source may not be taken from its directory by this worker');
  return explain(OF_THE_PLACE.has(refused.refusal) ? 'the place in the vault' : 'the source', refused);
}

/**
 * The FAILURE for a refusal.
 *
 * @param what the path in the producer's words: `the source`, `the destination's directory`
 */
export function explain(what: string, { refusal, errno }: Refused): Outcome {
  const { code, says } = MEANING[refusal];
  return failure(code, `${what} ${says}${refusal === 'io' ? ` (${errno})` : ''}`);
}
