import koffi from 'koffi';
import { must } from './write-calls.ts';

/** Writes that the kernel does for a program that does not wait: both are over when these return. */

/** System calls that the C library does not have, by their numbers. */
const NUMBERS: Readonly<Partial<Record<string, { readonly setup: number; readonly submit: number; readonly events: number; readonly destroy: number }>>> = {
  x64: { setup: 206, destroy: 207, events: 208, submit: 209 },
  arm64: { setup: 0, destroy: 1, submit: 2, events: 4 },
};
const IO_URING_SETUP = 425;
const IO_URING_ENTER = 426;
const IOCB_CMD_PWRITE = 1;
const IORING_OP_WRITE = 23;
const IORING_ENTER_GETEVENTS = 1;
const IORING_OFF_SQES = 0x10000000;
const BLOCK = 4_096;

type Argument = readonly ['long', number | bigint] | readonly ['void *', Buffer | null];

function call(name: string, number: number, ...args: readonly Argument[]): number {
  syscall ??= koffi.load(null).func('long syscall(long number, ...)');
  const result = Number(syscall(number, ...args.flat()));
  const told = result < 0 ? -koffi.errno() : result;
  must(name, told);
  return told;
}
let syscall: ReturnType<ReturnType<typeof koffi.load>['func']> | undefined;

const addressOf = (buffer: Buffer): bigint => BigInt(koffi.address(buffer));

/** A block at an address that O_DIRECT takes, with the text in it. */
function aligned(text: Buffer): { readonly at: bigint; readonly memory: Buffer } {
  const memory = Buffer.from(new ArrayBuffer(3 * BLOCK));
  const skip = BLOCK - Number(addressOf(memory) % BigInt(BLOCK));
  memory.fill(' ', skip, skip + BLOCK);
  text.copy(memory, skip);
  return { at: addressOf(memory) + BigInt(skip), memory };
}

/** A block by io_submit(2). */
export function writeByAio(fd: number, text: Buffer): void {
  const numbers = NUMBERS[process.arch];
  if (numbers === undefined) throw new Error(`the numbers of the system calls of ${process.arch} are not known here`);
  const { at, memory } = aligned(text);
  const context = Buffer.alloc(8);
  call('io_setup', numbers.setup, ['long', 1], ['void *', context]);
  const control = Buffer.alloc(64);
  control.writeUInt16LE(IOCB_CMD_PWRITE, 16);
  control.writeUInt32LE(fd, 20);
  control.writeBigUInt64LE(at, 24);
  control.writeBigUInt64LE(BigInt(BLOCK), 32);
  const list = Buffer.alloc(8);
  list.writeBigUInt64LE(addressOf(control), 0);
  const id = context.readBigUInt64LE(0);
  call('io_submit', numbers.submit, ['long', id], ['long', 1], ['void *', list]);
  const event = Buffer.alloc(32);
  call('io_getevents', numbers.events, ['long', id], ['long', 1], ['long', 1], ['void *', event], ['void *', null]);
  call('io_destroy', numbers.destroy, ['long', id]);
  must('the write', Number(event.readBigInt64LE(16)));
  // Until here the kernel may have read it.
  memory.fill(0);
}

/** A block by io_uring(7). */
export function writeByIoUring(fd: number, text: Buffer): void {
  const library = koffi.load(null);
  const mmap = library.func('uint64_t mmap(uint64_t at, size_t length, int protection, int flags, int fd, int64_t offset)');
  const memcpy = library.func('uint64_t memcpy(uint64_t to, const void *from, size_t bytes)');
  const close = library.func('int close(int fd)');
  const params = Buffer.alloc(120);
  const ring = call('io_uring_setup', IO_URING_SETUP, ['long', 1], ['void *', params]);
  const [tail, array] = [params.readUInt32LE(40 + 4), params.readUInt32LE(40 + 24)];
  const queue = BigInt(mmap(0, array + 4, 3, 1, ring, 0));
  const entries = BigInt(mmap(0, 64, 3, 1, ring, IORING_OFF_SQES));
  const { at, memory } = aligned(text);
  const entry = Buffer.alloc(64);
  entry.writeUInt8(IORING_OP_WRITE, 0);
  entry.writeInt32LE(fd, 4);
  entry.writeBigUInt64LE(at, 16);
  entry.writeUInt32LE(BLOCK, 24);
  memcpy(entries, entry, 64);
  memcpy(queue + BigInt(array), Buffer.alloc(4), 4);
  memcpy(queue + BigInt(tail), Buffer.from([1, 0, 0, 0]), 4);
  const done = call(
    'io_uring_enter',
    IO_URING_ENTER,
    ['long', ring],
    ['long', 1],
    ['long', 1],
    ['long', IORING_ENTER_GETEVENTS],
    ['void *', null],
    ['long', 0],
  );
  close(ring);
  if (done !== 1) throw new Error('io_uring took no entry');
  memory.fill(0);
}
