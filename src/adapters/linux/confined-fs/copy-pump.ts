import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { FsResult } from '../../../core/ports/confined-fs.ts';
import { type Libc, SYNC_FILE_RANGE_WRITE } from '../libc.ts';
import { nodeCalls } from './node-calls.ts';
import { DONE, ok } from './refusals.ts';

export interface CopyControl {
  readonly chunkBytes: number;
  readonly hash: boolean;
  /** The length of a source that may have holes, which the target shall have too; `undefined`: every byte is read and written. */
  readonly sparseBytes?: number | undefined;
  readonly aborted: () => boolean;
  /** Bytes of the source that are done with, about every 8 MiB and at the end. */
  readonly onBytes: (total: number) => void;
}

/** Why a copy does not go on. */
type Stopped = Extract<FsResult<never>, { ok: false }> | 'aborted';

/** What carries bytes from one file to another, and knows how far it is. */
export interface CopyPump {
  /** Bytes of the source that are done with. */
  readonly position: number;
  /** Copies from `start` to `end` or the end of file, whichever comes first. */
  copy(start: number, end: number): Promise<Stopped | undefined>;
  /** Goes on to `end` over a hole: nothing is written, and zeros are hashed. */
  skip(end: number): Promise<Stopped | undefined>;
  /** Lower-case hexadecimal; `undefined` when nothing is hashed. Once, at the end. */
  digest(): string | undefined;
}

/** One is read into, one is hashed and written, one is still being written. */
const BUFFERS = 3;
/** Every so often the disk is asked to write while we still copy (else all of it waits for the fsync), and progress is told. */
const MARK_BYTES = 8 * 1024 * 1024;
const ZEROS = Buffer.alloc(256 * 1024);

/**
 * Reads and writes run on libuv's pool while this thread hashes: SHA-256 of one stream is the bound, 0.35 GiB/s without the
 * processor's SHA instructions.
 */
export function createCopyPump(
  libc: Libc,
  source: number,
  target: number,
  { chunkBytes, hash: hashed, aborted, onBytes }: Pick<CopyControl, 'chunkBytes' | 'hash' | 'aborted' | 'onBytes'>,
): CopyPump {
  const buffers = Array.from({ length: BUFFERS }, () => Buffer.allocUnsafeSlow(chunkBytes));
  const hash = hashed ? createHash('sha256') : undefined;
  let position = 0;
  let marked = 0;

  async function copy(start: number, end: number): Promise<Stopped | undefined> {
    position = start;
    marked = Math.max(marked, start);
    let hint: Promise<number> = Promise.resolve(0);
    let writing: Promise<FsResult<void>> = Promise.resolve(DONE);
    const read = (turn: number, at: number): Promise<FsResult<number>> => {
      if (at >= end) return Promise.resolve(ok(0));
      const buffer = buffers[turn % BUFFERS] as Buffer;
      return nodeCalls.read(source, end - at < chunkBytes ? buffer.subarray(0, end - at) : buffer, at);
    };
    let reading = read(0, position);
    try {
      for (let turn = 0; ; turn++) {
        const got = await reading;
        if (!got.ok) return got;
        if (aborted()) return 'aborted';
        if (got.value === 0) {
          const last = await writing;
          return last.ok ? undefined : last;
        }
        const chunk = (buffers[turn % BUFFERS] as Buffer).subarray(0, got.value);
        const before = writing;
        writing = nodeCalls.write(target, chunk, position);
        position += chunk.byteLength;
        reading = read(turn + 1, position);
        hash?.update(chunk);
        const written = await before;
        if (!written.ok) return written;
        const settled = position - chunk.byteLength; // the newest chunk is still being written
        if (settled - marked >= MARK_BYTES) {
          await hint;
          // A hint only: what a file system without it answers does not matter.
          hint = libc.syncFileRange(target, marked, settled - marked, SYNC_FILE_RANGE_WRITE);
          marked = settled;
          onBytes(settled);
        }
      }
    } finally {
      await Promise.all([reading, writing, hint]);
    }
  }

  async function skip(end: number): Promise<Stopped | undefined> {
    while (hash !== undefined && position < end) {
      const zeros = ZEROS.subarray(0, Math.min(ZEROS.byteLength, end - position));
      hash.update(zeros);
      position += zeros.byteLength;
      if (position - marked < MARK_BYTES) continue;
      marked = position;
      onBytes(position);
      // The word to stop comes between two turns of the event loop.
      await setImmediate();
      if (aborted()) return 'aborted';
    }
    position = end;
    return aborted() ? 'aborted' : undefined;
  }

  return {
    get position() {
      return position;
    },
    copy,
    skip,
    digest: () => hash?.digest('hex'),
  };
}
