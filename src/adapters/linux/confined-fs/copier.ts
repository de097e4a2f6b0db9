import { availableParallelism } from 'node:os';
import type { CopyOptions, CopySummary, FsResult } from '../../../core/ports/confined-fs.ts';
import type { Libc } from '../libc.ts';
import { copyBytes } from './copy-loop.ts';
import { type CopyThread, createCopyThread } from './copy-thread-handle.ts';
import { maySparse, reserve, reserveData } from './holes.ts';
import { statOpened } from './stats.ts';

/** Copies between two open files of this process. */
export interface Copier {
  copy(source: number, target: number, options: CopyOptions): Promise<FsResult<CopySummary>>;
}

/** Up to here hashing holds the event loop for less than a quarter of a millisecond, and the thread would cost more. */
const INLINE_BYTES = 64 * 1024;
/** Three of them stay in the processor's cache: 1 GiB without the hash took 1.2 s, with 1 MiB 1.9 s and with 4 MiB 1.5 s. */
const CHUNK_BYTES = 256 * 1024;
const MAX_THREADS = Math.min(4, availableParallelism());

/**
 * Threads start with the first large copy and do not keep the process alive. A copy goes to an idle thread; a new one
 * starts when all have work, up to one per processor and four.
 */
export function createCopier(libc: Libc): Copier {
  const threads: CopyThread[] = [];

  function leastBusy(): CopyThread {
    const candidate = threads.toSorted((a, b) => a.load - b.load)[0];
    if (candidate !== undefined && (candidate.load === 0 || threads.length >= MAX_THREADS)) return candidate;
    const added = createCopyThread();
    threads.push(added);
    return added;
  }

  return {
    async copy(source, target, { signal, onBytes = () => undefined, hash = true }) {
      signal?.throwIfAborted();
      const size = Number(statOpened(source).size);
      const sparseBytes = (await maySparse(source)) ? size : undefined;
      if (size <= INLINE_BYTES) {
        // One byte more than the file, so that its end is seen by the same read.
        const end = await copyBytes(libc, source, target, { chunkBytes: size + 1, hash, sparseBytes, aborted: () => signal?.aborted === true, onBytes });
        return orThrow(end, signal);
      }
      const reserved = sparseBytes === undefined ? await reserve(libc, target, 0, size) : await reserveData(libc, source, target, size);
      if (reserved !== undefined) return reserved;
      return orThrow(await leastBusy().copy({ source, target, chunkBytes: CHUNK_BYTES, hash, sparseBytes }, signal, onBytes), signal);
    },
  };
}

function orThrow(end: FsResult<CopySummary> | 'aborted', signal: AbortSignal | undefined): FsResult<CopySummary> {
  if (end !== 'aborted') return end;
  throw signal?.reason;
}
