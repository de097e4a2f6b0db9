import { closeSync, readSync } from 'node:fs';
import koffi from 'koffi';

/** Counts what happens to watched files and directories: opens, reads, writes, new names, changed attributes. */
export interface Tripwire {
  watch(path: string): void;
  /** Events since the last call. */
  events(): number;
  close(): void;
}

const IN_NONBLOCK = 0o4000;
const IN_CLOEXEC = 0o2000000;
/** IN_ALL_EVENTS. An O_PATH descriptor makes none: it can neither read nor change. */
const EVERYTHING = 0xfff;
const EVENT_HEADER_BYTES = 16;

export function createTripwire(): Tripwire {
  const library = koffi.load(null);
  const init: (flags: number) => number = library.func('int inotify_init1(int flags)');
  const add: (fd: number, path: string, mask: number) => number = library.func('int inotify_add_watch(int fd, const char *path, uint32_t mask)');
  const fd = init(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) throw new Error(`inotify_init1: errno ${koffi.errno()}; raise fs.inotify.max_user_instances`);
  const buffer = Buffer.alloc(65_536);

  return {
    watch(path) {
      if (add(fd, path, EVERYTHING) < 0) throw new Error(`inotify_add_watch ${path}: errno ${koffi.errno()}`);
    },
    events() {
      let count = 0;
      for (let bytes = read(); bytes > 0; bytes = read()) {
        for (let at = 0; at < bytes; at += EVENT_HEADER_BYTES + buffer.readUInt32LE(at + 12)) count += 1;
      }
      return count;
    },
    close: () => closeSync(fd),
  };

  function read(): number {
    try {
      return readSync(fd, buffer);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
      throw error;
    }
  }
}
