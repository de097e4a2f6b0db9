import { closeSync, constants, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import koffi from 'koffi';

/** System calls that Node has no name for. Numbers below zero are `-errno`. */
export interface Libc {
  pwritev2(fd: number, text: Buffer): number;
  fallocate(fd: number, mode: number, offset: number, length: number): number;
  copyFileRange(from: number, to: number, length: number): number;
  sendfile(to: number, from: number, length: number): number;
  /** Through a pipe. */
  splice(fd: number, text: Buffer): number;
  /** Maps the file shared, closes its descriptor, writes. Returns what unmaps it. */
  mapAndWrite(file: string, text: Buffer): () => void;
  /** Makes a nameless file beside `file` and gives it the name `as`. */
  linkTemporary(file: string, text: Buffer, as: string): number;
  exchange(one: string, other: string): number;
}

/** @throws Error where the call did not do what it is for */
export function must(name: string, result: number): void {
  if (result < 0) throw new Error(`${name} failed with errno ${-result}`);
}

let bound: Libc | undefined;

export function libc(): Libc {
  bound ??= bind();
  return bound;
}

const AT_FDCWD = -100;
const AT_SYMLINK_FOLLOW = 0x400;
const RENAME_EXCHANGE = 2;
const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
const O_TMPFILE = 0o20200000;

function bind(): Libc {
  const library = koffi.load(null);
  const told = (result: number | bigint): number => (Number(result) < 0 ? -koffi.errno() : Number(result));
  const pwritev2 = library.func('long pwritev2(int fd, void *vectors, int count, int64_t offset, int flags)');
  const fallocate = library.func('int fallocate(int fd, int mode, int64_t offset, int64_t length)');
  const copyFileRange = library.func('long copy_file_range(int from, void *fromAt, int to, void *toAt, size_t length, uint32_t flags)');
  const sendfile = library.func('long sendfile(int to, int from, void *at, size_t length)');
  const pipe = library.func('int pipe(void *ends)');
  const splice = library.func('long splice(int from, void *fromAt, int to, void *toAt, size_t length, uint32_t flags)');
  const mmap = library.func('uint64_t mmap(uint64_t at, size_t length, int protection, int flags, int fd, int64_t offset)');
  const munmap = library.func('int munmap(uint64_t at, size_t length)');
  const memcpy = library.func('uint64_t memcpy(uint64_t to, const void *from, size_t bytes)');
  const linkat = library.func('int linkat(int fromDirectory, const char *from, int toDirectory, const char *to, int flags)');
  const renameat2 = library.func('int renameat2(int fromDirectory, const char *from, int toDirectory, const char *to, uint32_t flags)');
  return {
    pwritev2(fd, text) {
      const vector = Buffer.alloc(16);
      vector.writeBigUInt64LE(BigInt(koffi.address(text)), 0);
      vector.writeBigUInt64LE(BigInt(text.length), 8);
      return told(pwritev2(fd, vector, 1, 0, 0));
    },
    fallocate: (fd, mode, offset, length) => told(fallocate(fd, mode, offset, length)),
    copyFileRange: (from, to, length) => told(copyFileRange(from, null, to, null, length, 0)),
    sendfile: (to, from, length) => told(sendfile(to, from, null, length)),
    splice(fd, text) {
      const ends = Buffer.alloc(8);
      must('pipe', told(pipe(ends)));
      const [out, into] = [ends.readInt32LE(0), ends.readInt32LE(4)];
      writeSync(into, text);
      const result = told(splice(out, null, fd, null, text.length, 0));
      closeSync(out);
      closeSync(into);
      return result;
    },
    mapAndWrite(file, text) {
      const fd = openSync(file, 'r+');
      const at: bigint | number = mmap(0, text.length, PROT_READ_WRITE, MAP_SHARED, fd, 0);
      closeSync(fd);
      memcpy(at, text, text.length);
      return () => must('munmap', told(munmap(at, text.length)));
    },
    linkTemporary(file, text, as) {
      const fd = openSync(path.dirname(file), constants.O_RDWR | O_TMPFILE);
      writeSync(fd, text);
      const result = told(linkat(AT_FDCWD, `/proc/self/fd/${fd}`, AT_FDCWD, as, AT_SYMLINK_FOLLOW));
      closeSync(fd);
      return result;
    },
    exchange: (one, other) => told(renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)),
  };
}
