import { readFileSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import koffi from 'koffi';
import { messageOf, WritError } from '../../core/errors.ts';
import type { DirectoryWatches, TreeRefusal, WatchEvent, WatchEventKind } from '../../core/ports/index.ts';
import { errnoName } from './libc.ts';

/** inotify(7) without a library between: none of those for Node tells that the queue was full. */

const IN_NONBLOCK = 0o4000;
const IN_CLOEXEC = 0o2000000;
const IN_ONLYDIR = 0x01000000;
const IN_DONT_FOLLOW = 0x02000000;
const IN_ISDIR = 0x40000000;

/** One bit of an event's mask says what it is. */
const BITS: readonly (readonly [bit: number, kind: WatchEventKind])[] = [
  [0x0002, 'MODIFY'],
  [0x0004, 'ATTRIB'],
  [0x0008, 'CLOSE_WRITE'],
  [0x0040, 'MOVED_FROM'],
  [0x0080, 'MOVED_TO'],
  [0x0100, 'CREATE'],
  [0x0200, 'DELETE'],
  [0x0400, 'DELETE_SELF'],
  [0x0800, 'MOVE_SELF'],
  [0x2000, 'UNMOUNT'],
  [0x4000, 'OVERFLOW'],
  [0x8000, 'IGNORED'],
];
/** The last three come unasked. */
const WANTED = BITS.slice(0, 9).reduce((mask, [bit]) => mask | bit, IN_ONLYDIR | IN_DONT_FOLLOW);

/** `struct inotify_event` before the name: wd, mask, cookie, len, each 32 bits. */
const HEAD_BYTES = 16;
/** Head and the longest name with its NUL, as the kernel rounds it up. */
const EVENT_MAX_BYTES = 272;
const BLOCK_BYTES = 65_536;

interface Calls {
  init(flags: number): number;
  addWatch(fd: number, path: Uint8Array, mask: number): number;
  removeWatch(fd: number, watch: number): number;
  read(fd: number, block: Uint8Array, bytes: number): number;
  close(fd: number): number;
}

/**
 * A set of watches; an errno name where this user has no instance left (`EMFILE`).
 *
 * @throws WritError PLATFORM_UNSUPPORTED where there is no Linux
 */
export function openInotify(): DirectoryWatches | TreeRefusal {
  const { init, addWatch, removeWatch, read, close } = calls();
  const fd = init(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) return { refused: errnoName(fd) };
  const block = Buffer.from(new ArrayBuffer(BLOCK_BYTES));
  const mostQueued = queueLength() * EVENT_MAX_BYTES;
  let isOpen = true;
  return {
    add(directory) {
      const watch = !isOpen ? -osConstants.errno.EBADF : addWatch(fd, withNul(directory), WANTED);
      return watch < 0 ? { refused: errnoName(watch) } : watch;
    },
    remove(watch) {
      if (isOpen) removeWatch(fd, watch);
    },
    drain(take) {
      let count = 0;
      // Who writes all the time would hold us for ever; what was queued at the beginning fits into this.
      for (let bytes = 0; bytes < mostQueued; ) {
        const length = isOpen ? read(fd, block, BLOCK_BYTES) : 0;
        if (length <= 0) break;
        bytes += length;
        count += parseEvents(block.subarray(0, length), take);
      }
      return count;
    },
    close() {
      // Not Node's own: a thread warns of descriptors that it did not open.
      if (isOpen) close(fd);
      isOpen = false;
    },
  };
}

/** The events of a block that the kernel filled: it never cuts one. How many there were. */
export function parseEvents(block: Buffer, take: (event: WatchEvent) => void): number {
  let count = 0;
  for (let at = 0; at + HEAD_BYTES <= block.length; count += 1) {
    const mask = word(block, at + 4);
    const end = at + HEAD_BYTES + word(block, at + 12);
    for (const [bit, kind] of BITS) {
      if ((mask & bit) !== 0) {
        take({
          watch: word(block, at) | 0,
          kind,
          isDirectory: (mask & IN_ISDIR) !== 0,
          cookie: word(block, at + 8),
          name: nameIn(block, at + HEAD_BYTES, end),
        });
      }
    }
    at = end;
  }
  return count;
}

/** In the order of bytes of this machine, as the kernel writes them. */
const isLittle = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const word = (block: Buffer, at: number): number => (isLittle ? block.readUInt32LE(at) : block.readUInt32BE(at));

/** Filled up with NUL. */
function nameIn(block: Buffer, from: number, to: number): string {
  const nul = block.indexOf(0, from);
  return block.toString('latin1', from, nul < 0 || nul > to ? to : nul);
}

function withNul(path: Buffer | string): Buffer {
  return typeof path === 'string' ? Buffer.from(`${path}\0`) : Buffer.concat([path, Buffer.of(0)]);
}

const QUEUE_LENGTH = '/proc/sys/fs/inotify/max_queued_events';
/** The kernel's own default. */
const USUAL_QUEUE = 16_384;

function queueLength(): number {
  try {
    return Number.parseInt(readFileSync(QUEUE_LENGTH, 'latin1'), 10) || USUAL_QUEUE;
  } catch {
    return USUAL_QUEUE;
  }
}

let bound: Calls | undefined;

/** Results below zero are `-errno`. None of these waits. */
function calls(): Calls {
  bound ??= bind();
  return bound;
}

function bind(): Calls {
  if (process.platform !== 'linux') throw new WritError('PLATFORM_UNSUPPORTED', `inotify needs Linux, this is ${process.platform}`);
  try {
    const library = koffi.load(null);
    const init = library.func('int inotify_init1(int flags)');
    const addWatch = library.func('int inotify_add_watch(int fd, const void *path, uint32_t mask)');
    const removeWatch = library.func('int inotify_rm_watch(int fd, int watch)');
    const read = library.func('long read(int fd, void *block, size_t bytes)');
    const close = library.func('int close(int fd)');
    const negated = (result: number): number => (result < 0 ? -koffi.errno() : result);
    return {
      init: (flags) => negated(init(flags)),
      addWatch: (fd, path, mask) => negated(addWatch(fd, path, mask)),
      removeWatch: (fd, watch) => negated(removeWatch(fd, watch)),
      read: (fd, block, bytes) => negated(Number(read(fd, block, bytes))),
      close: (fd) => negated(close(fd)),
    };
  } catch (error) {
    throw new WritError('PLATFORM_UNSUPPORTED', `the C library cannot be called: ${messageOf(error)}`, { cause: error });
  }
}
