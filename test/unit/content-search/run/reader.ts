import type { FileReader } from '../../../../src/core/ports/index.ts';

/** A file that is in memory, and whether it was closed. */
export function readerOf(bytes: Buffer): FileReader & { readonly closed: number; readonly reads: number } {
  let [closed, reads] = [0, 0];
  return {
    read(into, from) {
      reads += 1;
      return bytes.copy(into, 0, Math.min(from, bytes.length));
    },
    close() {
      closed += 1;
    },
    get closed() {
      return closed;
    },
    get reads() {
      return reads;
    },
  };
}
