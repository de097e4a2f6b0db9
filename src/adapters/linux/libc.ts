import { constants as osConstants } from 'node:os';
import koffi, { type KoffiFunc } from 'koffi';
import { messageOf, WritError } from '../../core/errors.ts';
import { createGate } from './call-gate.ts';

/**
 * The C calls that Node lacks, with the kernel's own convention: a result below zero is `-errno`.
 *
 * Why errno is right: koffi copies it on the pool's thread directly behind the call and puts it back directly before
 * the callback; we read it in the callback's (or, for a blocking call, the wrapper's) first statement. The test
 * "errno under load" holds this down. Success or failure itself comes from the return value and never from errno.
 *
 * Names with `Sync` run on the calling thread and are for calls that cannot wait for a disk, or for a process that has
 * nothing else to do meanwhile. All others run on libuv's pool.
 */
export interface Libc {
  openat2Sync(directory: number, path: string, how: Uint8Array): number;
  openat2(directory: number, path: string, how: Uint8Array): Promise<number>;
  openat(directory: number, path: string, flags: number, mode: number): Promise<number>;
  openatSync(directory: number, path: string, flags: number): number;
  /** Fills `block` with `struct linux_dirent64` and answers how many bytes that were; 0 at the directory's end. May wait for a disk. */
  getdentsSync(fd: number, block: Uint8Array): number;
  /** Fills `answer` with `struct statx`. `-ENOSYS` where the kernel, or this binding, has no such call. */
  statxSync(directory: number, path: string, flags: number, wanted: number, answer: Uint8Array): number;
  renameat2(from: number, name: string, to: number, toName: string, flags: number): Promise<number>;
  linkat(from: number, name: string, to: number, toName: string): Promise<number>;
  unlinkat(directory: number, name: string): Promise<number>;
  mkdirat(directory: number, name: string, mode: number): Promise<number>;
  /** `times`: access and modification time as two `struct timespec` (see `timespecs`). */
  futimens(fd: number, times: Uint8Array): Promise<number>;
  /** Fills `list` with names that end in NUL; a `list` of length 0 asks for the size needed. */
  flistxattr(fd: number, list: Uint8Array): Promise<number>;
  fallocate(fd: number, mode: number, offset: number, length: number): Promise<number>;
  syncFileRange(fd: number, offset: number, length: number, flags: number): Promise<number>;
  /** The offset that was found, bytes; `whence` is `SEEK_DATA` or `SEEK_HOLE`. */
  lseek(fd: number, offset: number, whence: number): Promise<number>;
}

/** Flags that Node's own constants lack; the same on x86-64 and arm64. */
export const O_PATH = 0o10000000;
export const O_CLOEXEC = 0o2000000;
export const RENAME_NOREPLACE = 1;
export const FALLOC_FL_KEEP_SIZE = 1;
export const SYNC_FILE_RANGE_WRITE = 2;
export const SEEK_DATA = 3;
export const SEEK_HOLE = 4;

/** The number is the same on every architecture. */
const SYS_OPENAT2 = 437;
/** By `process.arch`; the C libraries do not agree on a name for the call. */
const SYS_GETDENTS64: Readonly<Record<string, number>> = { x64: 217, arm: 217, arm64: 61, riscv64: 61, loong64: 61, ppc64: 202, s390x: 220 };
/** As above. */
const SYS_STATX: Readonly<Record<string, number>> = { x64: 332, arm: 397, arm64: 291, riscv64: 291, loong64: 291, ppc64: 383, s390x: 379 };
const OPEN_HOW_BYTES = 24;

/** `struct open_how` of openat2(2): flags, mode, resolve, each 64 bits. */
export function openHow(flags: number, resolve: number): Uint8Array {
  const how = Buffer.alloc(OPEN_HOW_BYTES);
  how.writeBigUInt64LE(BigInt(flags), 0);
  how.writeBigUInt64LE(BigInt(resolve), 16);
  return how;
}

/** Two `struct timespec` from nanoseconds since 1970 as decimal strings; times before 1970 too. */
export function timespecs(atimeNs: string, mtimeNs: string): Uint8Array {
  const times = Buffer.alloc(32);
  [BigInt(atimeNs), BigInt(mtimeNs)].forEach((ns, i) => {
    // The kernel wants 0 <= tv_nsec < 10^9, so the division rounds down.
    const rest = ((ns % NANOS) + NANOS) % NANOS;
    times.writeBigInt64LE((ns - rest) / NANOS, i * 16);
    times.writeBigInt64LE(rest, i * 16 + 8);
  });
  return times;
}
const NANOS = 1_000_000_000n;

const NAMES = new Map(Object.entries(osConstants.errno).map(([name, number]) => [number, name]));

/** `ENOENT` for -2. Two names share a number in places (EAGAIN); then either may come. */
export function errnoName(result: number): string {
  return NAMES.get(-result) ?? `E${-result}`;
}

let loaded: Libc | undefined;

/** The bindings, loaded on first use. Throws WritError PLATFORM_UNSUPPORTED where there is no Linux C library. */
export function libc(): Libc {
  loaded ??= load();
  return loaded;
}

function load(): Libc {
  if (process.platform !== 'linux') throw new WritError('PLATFORM_UNSUPPORTED', `file operations need Linux, this is ${process.platform}`);
  try {
    return bind();
  } catch (error) {
    throw new WritError('PLATFORM_UNSUPPORTED', `the C library lacks a call that file operations need: ${messageOf(error)}`, { cause: error });
  }
}

function bind(): Libc {
  // The process itself: Node is linked to the C library, whatever its file is called.
  const library = koffi.load(null);
  const syscall5: KoffiFunc<(n: number, fd: number, path: string, how: Uint8Array, size: number) => number> = library.func(
    'int syscall(long number, int fd, const char *path, void *how, size_t size)',
  );
  const syscall3: KoffiFunc<(n: number, fd: number, block: Uint8Array, size: number) => number> = library.func(
    'int syscall(long number, int fd, void *block, size_t size)',
  );
  const statx: KoffiFunc<(n: number, fd: number, path: string, flags: number, wanted: number, answer: Uint8Array) => number> = library.func(
    'int syscall(long number, int fd, const char *path, int flags, unsigned int wanted, void *answer)',
  );
  const lseek: KoffiFunc<(fd: number, offset: number, whence: number) => number> = library.func('int64_t lseek(int fd, int64_t offset, int whence)');
  const openat: KoffiFunc<(fd: number, path: string, flags: number, mode: number) => number> = library.func(
    'int openat(int fd, const char *path, int flags, unsigned int mode)',
  );
  const renameat2: KoffiFunc<(from: number, name: string, to: number, toName: string, flags: number) => number> = library.func(
    'int renameat2(int from, const char *name, int to, const char *toName, unsigned int flags)',
  );
  const linkat: KoffiFunc<(from: number, name: string, to: number, toName: string, flags: number) => number> = library.func(
    'int linkat(int from, const char *name, int to, const char *toName, int flags)',
  );
  const unlinkat: KoffiFunc<(fd: number, name: string, flags: number) => number> = library.func('int unlinkat(int fd, const char *name, int flags)');
  const mkdirat: KoffiFunc<(fd: number, name: string, mode: number) => number> = library.func('int mkdirat(int fd, const char *name, unsigned int mode)');
  const futimens: KoffiFunc<(fd: number, times: Uint8Array) => number> = library.func('int futimens(int fd, void *times)');
  const flistxattr: KoffiFunc<(fd: number, list: Uint8Array, size: number) => number> = library.func('int flistxattr(int fd, void *list, size_t size)');
  const fallocate: KoffiFunc<(fd: number, mode: number, offset: number, length: number) => number> = library.func(
    'int fallocate(int fd, int mode, int64_t offset, int64_t length)',
  );
  const syncFileRange: KoffiFunc<(fd: number, offset: number, length: number, flags: number) => number> = library.func(
    'int sync_file_range(int fd, int64_t offset, int64_t length, unsigned int flags)',
  );

  return {
    openat2Sync(directory, path, how) {
      const result = syscall5(SYS_OPENAT2, directory, path, how, how.byteLength);
      return result < 0 ? -lastErrno() : result;
    },
    openat2: (directory, path, how) => pooled(syscall5, SYS_OPENAT2, directory, path, how, how.byteLength),
    openatSync(directory, path, flags) {
      const result = openat(directory, path, flags, 0);
      return result < 0 ? -lastErrno() : result;
    },
    getdentsSync(fd, block) {
      const number = SYS_GETDENTS64[process.arch];
      if (number === undefined) throw new WritError('PLATFORM_UNSUPPORTED', `the number of getdents64 is not known for ${process.arch}`);
      const result = syscall3(number, fd, block, block.byteLength);
      return result < 0 ? -lastErrno() : result;
    },
    statxSync(directory, path, flags, wanted, answer) {
      const number = SYS_STATX[process.arch];
      if (number === undefined) return -osConstants.errno.ENOSYS;
      const result = statx(number, directory, path, flags, wanted, answer);
      return result < 0 ? -lastErrno() : result;
    },
    openat: (directory, path, flags, mode) => pooled(openat, directory, path, flags, mode),
    renameat2: (from, name, to, toName, flags) => pooled(renameat2, from, name, to, toName, flags),
    linkat: (from, name, to, toName) => pooled(linkat, from, name, to, toName, 0),
    unlinkat: (directory, name) => pooled(unlinkat, directory, name, 0),
    mkdirat: (directory, name, mode) => pooled(mkdirat, directory, name, mode),
    futimens: (fd, times) => pooled(futimens, fd, times),
    flistxattr: (fd, list) => pooled(flistxattr, fd, list, list.byteLength),
    fallocate: (fd, mode, offset, length) => pooled(fallocate, fd, mode, offset, length),
    syncFileRange: (fd, offset, length, flags) => pooled(syncFileRange, fd, offset, length, flags),
    lseek: (fd, offset, whence) => pooled(lseek, fd, offset, whence),
  };
}

/** A failed call that left no errno would otherwise read as success. */
function lastErrno(): number {
  return koffi.errno() || osConstants.errno.EIO;
}

/**
 * koffi keeps eight sets of call memory and allocates 256 KiB for each call beyond them (three times slower,
 * measured), and refuses the 257th; libuv's pool runs four at a time anyway.
 */
const gate = createGate(8);

type Pooled<A extends unknown[]> = { readonly async: (...args: [...A, (error: unknown, result: number) => void]) => void };

function pooled<A extends unknown[]>(fn: Pooled<A>, ...args: A): Promise<number> {
  return new Promise((resolve, reject) => {
    gate.enter(() => {
      const done = (error: unknown, result: number): void => {
        const value = result < 0 ? -lastErrno() : result;
        gate.leave();
        // The arguments hold buffers that the other thread uses: they must live until here.
        args.length = 0;
        if (error === null || error === undefined) resolve(value);
        else reject(error);
      };
      try {
        fn.async(...args, done);
      } catch (error) {
        gate.leave();
        reject(error);
      }
    });
  });
}
