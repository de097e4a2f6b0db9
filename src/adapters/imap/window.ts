import { ImapFailure } from './failure.ts';

/** Bytes of a message from `offset` on, at most `length`; fewer only at its end. Undefined: the message is gone. */
export type FetchBytes = (offset: number, length: number) => Promise<Uint8Array | undefined>;

/** A place in a message, and what was fetched from there on. */
export interface Window {
  /** Offset of the first byte of `bytes` in the message. */
  at(): number;
  bytes(): Buffer;
  /** Whether `bytes` reach the end of the message. */
  atEnd(): boolean;
  /** Fetches on until `bytes` has `size` bytes, or all that there are. */
  fill(size: number, step: number): Promise<void>;
  /** Removes the first bytes and answers them. */
  take(size: number): Buffer;
  /** Goes elsewhere; what was fetched is kept where it still counts. */
  seek(offset: number): void;
}

export function createWindow(fetch: FetchBytes, first: Uint8Array, step: number): Window {
  let at = 0;
  let bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  let atEnd = first.length < step;
  return {
    at: () => at,
    bytes: () => bytes,
    atEnd: () => atEnd,
    async fill(size, length) {
      while (bytes.length < size && !atEnd) {
        const more = await fetch(at + bytes.length, length);
        if (more === undefined) throw new ImapFailure('IMAP_INCOMPLETE', 'a message was deleted while it was read');
        atEnd = more.length < length;
        bytes = bytes.length === 0 ? Buffer.from(more) : Buffer.concat([bytes, more]);
      }
    },
    take(size) {
      const taken = bytes.subarray(0, size);
      bytes = bytes.subarray(taken.length);
      at += taken.length;
      return taken;
    },
    seek(offset) {
      const within = offset >= at && offset <= at + bytes.length;
      bytes = within ? bytes.subarray(offset - at) : Buffer.alloc(0);
      if (!within) atEnd = false;
      at = offset;
    },
  };
}
