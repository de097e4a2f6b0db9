import type { CopySummary, FsResult } from '../../../core/ports/confined-fs.ts';
import type { Libc } from '../libc.ts';
import { type CopyControl, createCopyPump } from './copy-pump.ts';
import { nextData } from './holes.ts';
import { nodeCalls } from './node-calls.ts';
import { ok } from './refusals.ts';

export type CopyEnd = FsResult<CopySummary> | 'aborted';

/**
 * Copies `source` from its beginning to `target` until the end of file, or for a sparse one until its length. What is
 * hashed is the buffer that is written, so that the digest is the copy's even if the source changes meanwhile.
 *
 * No call is under way any more when the promise settles.
 */
export async function copyBytes(libc: Libc, source: number, target: number, control: CopyControl): Promise<CopyEnd> {
  const pump = createCopyPump(libc, source, target, control);
  const stopped = control.sparseBytes === undefined ? await pump.copy(0, Number.POSITIVE_INFINITY) : await copyData(control.sparseBytes);
  if (stopped !== undefined) return stopped;
  const bytes = control.sparseBytes ?? pump.position;
  control.onBytes(bytes);
  return ok({ bytes, sha256: pump.digest() });

  /** The data, range by range, and the holes by what they read as; then the length, which a hole at the end does not give. */
  async function copyData(size: number): Promise<Exclude<CopyEnd, { ok: true }> | undefined> {
    for (let at = 0; at < size; at = pump.position) {
      const found = await nextData(libc, source, at, size);
      if (!found.ok) return found;
      const { start, end } = found.value ?? { start: size, end: size };
      const ended = (await pump.skip(start)) ?? (await pump.copy(start, end));
      if (ended !== undefined) return ended;
      // The source was cut meanwhile; whoever compares it with what it was will see.
      if (pump.position < end) break;
    }
    const long = await nodeCalls.ftruncate(target, size);
    return long.ok ? undefined : long;
  }
}
