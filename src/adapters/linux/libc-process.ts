import koffi from 'koffi';
import { messageOf, WritError } from '../../core/errors.ts';

/**
 * The C calls about processes and locks that Node lacks, with the kernel's own convention: a result below zero is
 * `-errno`. None of them waits, so they run on the calling thread.
 */
export interface ProcessLibc {
  flock(fd: number, operation: number): number;
  /** `to` leads to the file of `from` from now on. */
  dup2(from: number, to: number): number;
  pidfdOpen(pid: number): number;
  pidfdSendSignal(pidfd: number, signal: number): number;
}

/** System calls above 423 have the same number on every architecture. */
const SYS_PIDFD_SEND_SIGNAL = 424;
const SYS_PIDFD_OPEN = 434;

let bound: ProcessLibc | undefined;

/**
 * Binds the calls at first use.
 *
 * @throws WritError PLATFORM_UNSUPPORTED where there is no Linux, or no C library to call.
 */
export function processLibc(): ProcessLibc {
  bound ??= bind();
  return bound;
}

function bind(): ProcessLibc {
  if (process.platform !== 'linux') throw new WritError('PLATFORM_UNSUPPORTED', 'worker roles need Linux');
  try {
    // null: the process itself, which is linked with whichever C library this machine has.
    const library = koffi.load(null);
    const flock = library.func('int flock(int fd, int operation)');
    const dup2 = library.func('int dup2(int from, int to)');
    const syscall = library.func('long syscall(long number, ...)');
    const negated = (result: number): number => (result < 0 ? -koffi.errno() : result);
    return {
      flock: (fd, operation) => negated(flock(fd, operation)),
      dup2: (from, to) => negated(dup2(from, to)),
      pidfdOpen: (pid) => negated(syscall(SYS_PIDFD_OPEN, 'int', pid, 'unsigned int', 0)),
      pidfdSendSignal: (pidfd, signal) => negated(syscall(SYS_PIDFD_SEND_SIGNAL, 'int', pidfd, 'int', signal, 'void *', null, 'unsigned int', 0)),
    };
  } catch (error) {
    throw new WritError('PLATFORM_UNSUPPORTED', `the C library cannot be called: ${messageOf(error)}`, { cause: error });
  }
}
