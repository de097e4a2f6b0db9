import { WritError } from '../../../core/errors.ts';
import type { Attributes, ConfinedFile, CopyOptions, CopySummary, Entry, FsResult } from '../../../core/ports/confined-fs.ts';
import { timespecs } from '../libc.ts';
import { Descriptor } from './descriptor.ts';
import { readAttributeNames } from './extended-attributes.ts';
import { nodeCalls } from './node-calls.ts';
import { doneOr, ok } from './refusals.ts';
import { statOpened, toEntry } from './stats.ts';
import type { Toolbox } from './toolbox.ts';

/** An open regular file. Reads and writes run on libuv's pool, copies in a thread of their own. */
export class LinuxFile implements ConfinedFile {
  readonly #descriptor: Descriptor;
  readonly #tools: Pick<Toolbox, 'libc' | 'copier'>;

  constructor(fd: number, tools: Pick<Toolbox, 'libc' | 'copier'>) {
    this.#descriptor = new Descriptor(fd, 'a file');
    this.#tools = tools;
  }

  stat(): Promise<Entry> {
    return this.#descriptor.use(async (fd) => toEntry(statOpened(fd)));
  }

  read(buffer: Uint8Array, position: number): Promise<FsResult<number>> {
    return this.#descriptor.use((fd) => nodeCalls.read(fd, buffer, position));
  }

  write(buffer: Uint8Array, position: number): Promise<FsResult<void>> {
    return this.#descriptor.use((fd) => nodeCalls.write(fd, buffer, position));
  }

  copyTo(target: ConfinedFile, options: CopyOptions = {}): Promise<FsResult<CopySummary>> {
    if (!(target instanceof LinuxFile)) return Promise.reject(new WritError('INTERNAL', 'two files of different adapters'));
    return this.#descriptor.use((fd) => target.#descriptor.use((targetFd) => this.#tools.copier.copy(fd, targetFd, options)));
  }

  /** Owner first: chown(2) clears setuid and setgid. */
  setAttributes({ mode, uid, gid, atimeNs, mtimeNs }: Attributes): Promise<FsResult<void>> {
    return this.#descriptor.use(async (fd) => {
      const owned = await nodeCalls.fchown(fd, uid, gid);
      if (!owned.ok) return owned;
      const permitted = await nodeCalls.fchmod(fd, mode);
      if (!permitted.ok) return permitted;
      // Node's futimes takes seconds as a double and loses nanoseconds.
      return doneOr(await this.#tools.libc.futimens(fd, timespecs(atimeNs, mtimeNs)));
    });
  }

  extendedAttributes(): Promise<FsResult<readonly string[]>> {
    return this.#descriptor.use(async (fd) => {
      const names = await readAttributeNames(this.#tools.libc, fd);
      // A file system without extended attributes has none to lose.
      return !names.ok && names.refusal === 'unsupported' ? ok([]) : names;
    });
  }

  sync(): Promise<FsResult<void>> {
    return this.#descriptor.use((fd) => nodeCalls.fsync(fd));
  }

  close(): Promise<void> {
    return this.#descriptor.close();
  }
}
