import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  copyFileSync,
  createWriteStream,
  ftruncateSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
  writevSync,
} from 'node:fs';
import { writeByAio, writeByIoUring } from './asynchronous-writes.ts';
import { libc, must } from './write-calls.ts';

/**
 * When an event tells of a change: `at once`, before the call returns; `when closed`, no sooner than the writer closes its
 * descriptor; `when unmapped`, no sooner than it unmaps the file.
 */
export type Told = 'at once' | 'when closed' | 'when unmapped';

export interface WriteWay {
  readonly told: Told;
  /** Puts `text` into the file, of which the content is `BEFORE`; `other` is a name beside it. Returns what ends it; the change is over before. */
  readonly write: (file: string, text: Buffer, other: string) => Promise<() => void> | (() => void);
}

export const BEFORE = Buffer.from('before\n'.repeat(20));
const NOTHING = (): void => undefined;

/** With nothing that stays open. */
const over = (work: (file: string, text: Buffer, other: string) => unknown) => (file: string, text: Buffer, other: string) => {
  work(file, text, other);
  return NOTHING;
};

/** With a descriptor that stays open. */
const open = (flags: number, work: (fd: number, text: Buffer, file: string) => void) => (file: string, text: Buffer) => {
  const fd = openSync(file, flags);
  work(fd, text, file);
  return () => closeSync(fd);
};
const { O_RDWR, O_WRONLY, O_TRUNC, O_APPEND, O_SYNC } = constants;

/** Every way in which a program of this machine changes what is in a file (docs/index-watch.md 4). */
export const WRITE_WAYS = {
  write: { told: 'at once', write: open(O_WRONLY, (fd, text) => writeSync(fd, text, 0, text.length, 0)) },
  'write, O_APPEND': { told: 'at once', write: open(O_WRONLY | O_APPEND, (fd, text) => writeSync(fd, text)) },
  'write, O_SYNC': { told: 'at once', write: open(O_WRONLY | O_SYNC, (fd, text) => writeSync(fd, text)) },
  'open, O_TRUNC': { told: 'at once', write: open(O_WRONLY | O_TRUNC, (fd, text) => writeSync(fd, text)) },
  writev: { told: 'at once', write: open(O_RDWR, (fd, text) => writevSync(fd, [text.subarray(0, 3), text.subarray(3)], 0)) },
  pwritev2: { told: 'at once', write: open(O_RDWR, (fd, text) => must('pwritev2', libc().pwritev2(fd, text))) },
  'write by /proc/PID/fd': { told: 'at once', write: open(O_RDWR, (fd, text) => writeFileSync(`/proc/self/fd/${fd}`, text)) },
  'write of the thread pool': {
    told: 'at once',
    async write(file, text) {
      const stream = createWriteStream(file, { flags: 'r+' });
      await new Promise<void>((resolve) => void stream.write(text, () => resolve()));
      return () => stream.destroy();
    },
  },
  truncate: { told: 'at once', write: over((file) => truncateSync(file, 3)) },
  ftruncate: { told: 'at once', write: open(O_RDWR, (fd) => ftruncateSync(fd, 3)) },
  'fallocate, a hole': { told: 'at once', write: open(O_RDWR, (fd) => must('fallocate', libc().fallocate(fd, 0x03, 0, 8))) },
  'fallocate, zeroes': { told: 'at once', write: open(O_RDWR, (fd) => must('fallocate', libc().fallocate(fd, 0x10, 0, 8))) },
  copy_file_range: { told: 'at once', write: fromOther((from, to, length) => libc().copyFileRange(from, to, length)) },
  sendfile: { told: 'at once', write: fromOther((from, to, length) => libc().sendfile(to, from, length)) },
  splice: { told: 'at once', write: open(O_RDWR, (fd, text) => must('splice', libc().splice(fd, text))) },
  'io_uring, write': { told: 'at once', write: open(O_RDWR, (fd, text) => writeByIoUring(fd, text)) },
  'kernel AIO': { told: 'when closed', write: open(O_RDWR, (fd, text) => writeByAio(fd, text)) },
  'kernel AIO, O_DIRECT': { told: 'when closed', write: open(O_RDWR | constants.O_DIRECT, (fd, text) => writeByAio(fd, text)) },
  'mmap, MAP_SHARED': { told: 'when unmapped', write: (file, text) => libc().mapAndWrite(file, text) },
  'O_TMPFILE and link': {
    told: 'at once',
    write(file, text, other) {
      must('linkat', libc().linkTemporary(file, text, other));
      renameSync(other, file);
      return NOTHING;
    },
  },
  'rename over it': {
    told: 'at once',
    write: over((file, text, other) => {
      writeFileSync(other, text);
      renameSync(other, file);
    }),
  },
  'exchange of names': {
    told: 'at once',
    write(file, text, other) {
      writeFileSync(other, text);
      must('renameat2', libc().exchange(file, other));
      return NOTHING;
    },
  },
  'a link in its place': {
    told: 'at once',
    write: over((file, text, other) => {
      writeFileSync(other, text);
      rmSync(file);
      linkSync(other, file);
    }),
  },
  'clone of blocks': {
    told: 'at once',
    write(file, text, other) {
      writeFileSync(other, text);
      // Where the file system knows none, it is a copy.
      copyFileSync(other, file, constants.COPYFILE_FICLONE);
      return NOTHING;
    },
  },
  'another process': {
    told: 'at once',
    write: over((file, text) => execFileSync('dd', [`of=${file}`, 'conv=notrunc', 'status=none'], { input: text })),
  },
  'another process, in namespaces of its own': {
    told: 'at once',
    write(file, text) {
      execFileSync('unshare', ['-Urmp', '--fork', 'dd', `of=${file}`, 'conv=notrunc', 'status=none'], { input: text });
      return NOTHING;
    },
  },
  'another process, by a bind mount of its own': {
    told: 'at once',
    write(file, text, other) {
      writeFileSync(other, '');
      const script = 'mount --bind "$0" "$1" && cat > "$1"';
      execFileSync('unshare', ['-Urm', 'sh', '-c', script, file, other], { input: text });
      return NOTHING;
    },
  },
} satisfies Record<string, WriteWay>;

export type WriteWayName = keyof typeof WRITE_WAYS;

/** Puts the text into another file, and from there into this one. */
function fromOther(copy: (from: number, to: number, length: number) => number) {
  return (file: string, text: Buffer, other: string) => {
    writeFileSync(other, text);
    const [from, to] = [openSync(other, 'r'), openSync(file, 'r+')];
    must('the copy', copy(from, to, text.length));
    closeSync(from);
    return () => closeSync(to);
  };
}

/** Whether the file is another than before. */
export const isChanged = (file: string): boolean => !readFileSync(file).equals(BEFORE);
