import type { StopReason } from '../../core/outcome.ts';
import type { ConfinedFile } from '../../core/ports/index.ts';
import { stopReason } from '../../core/stopped.ts';
import type { Refused } from './refusals.ts';

export type Copied =
  | { readonly kind: 'copied'; readonly bytes: number; readonly sha256: string | undefined }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  | { readonly kind: 'refused'; readonly refused: Refused };

/**
 * Copies all bytes until the end, the limit or the signal.
 *
 * @param limits `maxBytes`: more are not copied, because a file can grow while it is read; `hash`: whether they are hashed
 */
export async function copyBytes(
  from: ConfinedFile,
  to: ConfinedFile,
  { maxBytes, hash }: { maxBytes: number; hash: boolean },
  signal: AbortSignal,
): Promise<Copied> {
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
