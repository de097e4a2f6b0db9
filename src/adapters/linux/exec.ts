import koffi from 'koffi';
import { WritError } from '../../core/errors.ts';

const F_SETFD = 2;

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Descriptors that the program inherits beside the first three. */
  readonly keep: readonly number[];
}

/**
 * Becomes another program in the same process (execve(2)): with the same pid, the same parent, and with what the calling
 * thread has given up. Threads that were running before, and had not given it up, are gone then. Never returns.
 *
 * @throws WritError PLATFORM_UNSUPPORTED when the kernel refuses
 */
export function replaceProcess({ file, args, env, keep }: Program): never {
  const library = koffi.load(null);
  const fcntl = library.func('int fcntl(int fd, int command, int argument)');
  const execve = library.func('int execve(const char *file, const char **argv, const char **envp)');
  // Node has told the kernel to close every descriptor, these included, when another program begins.
  for (const fd of [0, 1, 2, ...keep]) fcntl(fd, F_SETFD, 0);
  execve(file, [file, ...args, null], [...Object.entries(env).map(([name, value]) => `${name}=${value}`), null]);
  throw new WritError('PLATFORM_UNSUPPORTED', `${file} could not be started (errno ${koffi.errno()})`);
}
