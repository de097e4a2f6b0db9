import { failure, type StopReason } from '../../core/outcome.ts';
import type { ConfinedFile, Entry } from '../../core/ports/index.ts';
import { stopReason } from '../../core/stopped.ts';
import { cannotTravelOpened, keepAttributes, newFileAttributes } from './attributes.ts';
import { exchanged } from './bases.ts';
import { type Effect, executionFailed, failed, type Sealed, type Transfer } from './effect.ts';
import { identityOf, untouched } from './identity.ts';
import { publish } from './publish.ts';
import { explain, type Refused } from './refusals.ts';

/** Method `copy`: C1 to C5, for a move on to X8 (`docs/protocol.md` 5). */
export async function copyAcross(transfer: Transfer): Promise<Effect> {
  const { source, destination, descriptors, pass } = transfer;
  const gone = exchanged(source.base, destination.base);
  if (gone !== undefined) return executionFailed(gone);
  const input = await source.parent.openFile(source.name);
  if (!input.ok) return failed(explain('the source', input));
  descriptors.add(input.value);
  const output = await destination.parent.createFile(temporaryOf(transfer));
  if (!output.ok) return failed(explain("the destination's temporary file", output));
  descriptors.add(output.value);
  pass('C1');

  const filled = await fill(transfer, input.value, output.value);
  if ('kind' in filled) {
    await removeTemporary(transfer);
    return filled;
  }
  await transfer.journal.seal(transfer.intent.taskId, transfer.n, filled);
  pass('sealed');
  return publish(transfer, filled);
}

/** C2 and C3: a complete, fsynced temporary file beside the destination, or why there is none. */
async function fill(transfer: Transfer, input: ConfinedFile, output: ConfinedFile): Promise<Sealed | Effect> {
  const { source, intent, maxBytes, hashMaxBytes, signal, pass } = transfer;
  const before = await input.stat();
  if (!untouched(before, intent.sourceIdentity)) return executionFailed('the source changed before it was copied');

  const copied = await copyBytes(input, output, { maxBytes, hash: Number(before.size) <= hashMaxBytes }, signal);
  if (copied.kind === 'stopped') return copied;
  if (copied.kind === 'too-large') return failed(failure('RESOURCE_EXHAUSTED', `the source is larger than ${maxBytes} bytes`));
  if (copied.kind === 'refused') return failed(explain('the copy', copied.refused));

  const refused = await setAttributes(transfer, { input, before }, output);
  if (refused) return refused;
  const synced = await output.sync();
  if (!synced.ok) return failed(explain('the destination', synced));
  pass('C2');

  const [after, sealed] = await Promise.all([source.parent.entry(source.name), output.stat()]);
  if (!after.ok || !untouched(after.value, intent.sourceIdentity)) return executionFailed('the source changed while it was copied');
  pass('C3');
  const reason = stopReason(signal);
  return reason ? { kind: 'stopped', reason } : { ...identityOf(sealed), sha256: copied.sha256 };
}

/** Attributes of the temporary file, by operation. `before`: the source as it was before its bytes were read, which changes its access time. */
async function setAttributes({ intent, umask }: Transfer, { input, before }: SourceRead, output: ConfinedFile): Promise<Effect | undefined> {
  if (intent.operation === 'copy') {
    const set = await newFileAttributes(output, before, umask);
    return set.ok ? undefined : failed(explain('the destination', set));
  }
  const lost = (await cannotTravelOpened(input, output)) ?? (await keepAttributes(output, before));
  return lost === undefined ? undefined : executionFailed(lost);
}

interface SourceRead {
  readonly input: ConfinedFile;
  readonly before: Entry;
}

export function temporaryOf({ intent }: Pick<Transfer, 'intent'>): string {
  if (intent.temporary === undefined) throw new Error('an intent of method copy names its temporary file');
  return intent.temporary;
}

/**
 * The name is ours alone, so it may be removed unseen. What cannot be removed now stays behind under a reserved name,
 * which every enumerator skips.
 */
export async function removeTemporary(transfer: Pick<Transfer, 'intent' | 'destination'>): Promise<void> {
  await transfer.destination.parent.unlink(temporaryOf(transfer));
}

type Copied =
  | { readonly kind: 'copied'; readonly bytes: number; readonly sha256: string | undefined }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  | { readonly kind: 'refused'; readonly refused: Refused };

/**
 * Copies all bytes until the end, the limit or the signal.
 *
 * @param limits `maxBytes`: more are not copied, because a file can grow while it is read; `hash`: whether they are hashed
 */
async function copyBytes(from: ConfinedFile, to: ConfinedFile, { maxBytes, hash }: { maxBytes: number; hash: boolean }, signal: AbortSignal): Promise<Copied> {
  const limit = new AbortController();
  const onBytes = (total: number): void => {
    if (total > maxBytes) limit.abort();
  };
  try {
    const copied = await from.copyTo(to, { signal: AbortSignal.any([signal, limit.signal]), onBytes, hash });
    return copied.ok ? { kind: 'copied', ...copied.value } : { kind: 'refused', refused: copied };
  } catch (error) {
    const reason = stopReason(signal);
    if (reason !== undefined) return { kind: 'stopped', reason };
    if (limit.signal.aborted) return { kind: 'too-large' };
    throw error;
  }
}
