import { KERNEL_CODE } from './kernel-code.ts';

const PAGE = 65_536;
/** Vectors that one call looks at. */
export const KERNEL_BLOCK = 4096;
/** The query at 0 (up to 4096 floats), then the numbers of vectors, then what comes out, then the vectors. */
const AT = { query: 0, rows: 16_384, out: 32_768, vectors: 49_152 } as const;

/** The part of the vector search that runs in WebAssembly, with the memory that the vectors lie in. */
export interface Kernel {
  /** The vectors: views are good until the next `reserve`. */
  halves(from: number, count: number): Uint16Array;
  /** Makes room for so many halves. Throws RangeError when there is none. */
  reserve(halves: number): void;
  query(vector: Float32Array): void;
  /** Cosines with vectors `from` to `from + count`, at most KERNEL_BLOCK, in steps of 2^-20, 0 to 2^20; good until the next call. */
  all(from: number, count: number): Int32Array;
  /** The same for these vectors. */
  some(rows: Uint32Array): Int32Array;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  all(vector: number, count: number, bytes: number, query: number, out: number): void;
  some(vectors: number, rows: number, count: number, bytes: number, query: number, out: number): void;
}

let code: WebAssembly.Module | undefined;

/** @param stride halves from one vector to the next, a multiple of 8 */
export function createKernel(stride: number): Kernel {
  code ??= new WebAssembly.Module(Buffer.from(KERNEL_CODE, 'base64'));
  // kernel.wat says what it exports.
  const { memory, all, some } = new WebAssembly.Instance(code).exports as Exports;
  const bytes = stride * 2;
  return {
    halves: (from, count) => new Uint16Array(memory.buffer, AT.vectors + from * 2, count),
    reserve(halves) {
      const pages = Math.ceil((AT.vectors + halves * 2 - memory.buffer.byteLength) / PAGE);
      if (pages > 0) memory.grow(pages);
    },
    query(vector) {
      const floats = new Float32Array(memory.buffer, AT.query, stride);
      floats.fill(0);
      // float16 decodes scaled by 2^-112; pre-scale the query.
      vector.forEach((value, index) => {
        floats[index] = value * 2 ** 112;
      });
    },
    all(from, count) {
      if (count > 0) all(AT.vectors + from * bytes, count, bytes, AT.query, AT.out);
      return new Int32Array(memory.buffer, AT.out, count);
    },
    some(rows) {
      new Uint32Array(memory.buffer, AT.rows, rows.length).set(rows);
      if (rows.length > 0) some(AT.vectors, AT.rows, rows.length, bytes, AT.query, AT.out);
      return new Int32Array(memory.buffer, AT.out, rows.length);
    },
  };
}
