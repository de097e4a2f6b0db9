import type { ConfinedFile } from '../../core/ports/index.ts';

const CHUNK_BYTES = 1024 ** 2;

/** Whether two files hold the same bytes. A file that cannot be read, or a look that was broken off, says no. */
export async function sameBytes(one: ConfinedFile, other: ConfinedFile, signal: AbortSignal): Promise<boolean> {
  const [left, right] = [new Uint8Array(CHUNK_BYTES), new Uint8Array(CHUNK_BYTES)];
  for (let position = 0; !signal.aborted; ) {
    const [first, second] = await Promise.all([one.read(left, position), other.read(right, position)]);
    if (!first.ok || !second.ok || first.value !== second.value) return false;
    if (first.value === 0) return true;
    if (Buffer.compare(left.subarray(0, first.value), right.subarray(0, first.value)) !== 0) return false;
    position += first.value;
  }
  return false;
}
