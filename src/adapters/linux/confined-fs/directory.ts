import { closeSync, constants } from 'node:fs';
import { WritError } from '../../../core/errors.ts';
import type { ConfinedDirectory, ConfinedFile, DirectoryIdentity, Entry, FsResult } from '../../../core/ports/confined-fs.ts';
import { O_CLOEXEC, RENAME_NOREPLACE } from '../libc.ts';
import { Descriptor } from './descriptor.ts';
import { LinuxFile } from './file.ts';
import { mayLeave } from './may-leave.ts';
import { readableNames, refuseName } from './names.ts';
import { nodeCalls } from './node-calls.ts';
import { doneOr, fromCall, ok, refused } from './refusals.ts';
import type { Anchor } from './resolver.ts';
import { statOpened, toEntry, typeOf } from './stats.ts';
import type { Toolbox } from './toolbox.ts';

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | O_CLOEXEC;
const PRIVATE_MODE = 0o600;

/** Every call acts on this directory's descriptor and a checked single name, so no path is ever resolved again. */
export class LinuxDirectory implements ConfinedDirectory {
  readonly identity: DirectoryIdentity;
  readonly #descriptor: Descriptor;
  readonly #anchor: Anchor;
  readonly #tools: Toolbox;

  constructor(fd: number, identity: DirectoryIdentity, anchor: Anchor, tools: Toolbox) {
    this.#descriptor = new Descriptor(fd, 'a directory');
    this.identity = identity;
    this.#anchor = anchor;
    this.#tools = tools;
  }

  entry(name: string): Promise<FsResult<Entry>> {
    return this.#pinned(name, (pin) => Promise.resolve(ok(toEntry(statOpened(pin)))));
  }

  openFile(name: string): Promise<FsResult<ConfinedFile>> {
    return this.#pinned(name, async (pin) => {
      const type = typeOf(statOpened(pin));
      if (type === 'symlink') return refused('symlink', 'ELOOP');
      if (type !== 'file') return refused('not-a-file', type === 'directory' ? 'EISDIR' : 'EINVAL');
      const opened = await nodeCalls.open(`/proc/self/fd/${pin}`, constants.O_RDONLY | constants.O_NONBLOCK);
      if (!opened.ok) return opened;
      return ok(new LinuxFile(opened.value, this.#tools));
    });
  }

  createFile(name: string): Promise<FsResult<ConfinedFile>> {
    return this.#named(name, async (fd) => {
      const created = fromCall(await this.#tools.libc.openat(fd, name, CREATE, PRIVATE_MODE));
      return created.ok ? ok(new LinuxFile(created.value, this.#tools)) : created;
    });
  }

  makeDirectory(name: string, mode: number): Promise<FsResult<void>> {
    return this.#named(name, async (fd) => doneOr(await this.#tools.libc.mkdirat(fd, name, mode)));
  }

  renameNoReplace(name: string, to: ConfinedDirectory, toName: string): Promise<FsResult<void>> {
    return this.#paired(name, to, toName, async (fd, toFd) => {
      const result = doneOr(await this.#tools.libc.renameat2(fd, name, toFd, toName, RENAME_NOREPLACE), 'rename');
      // EINVAL is also the answer to a directory that would move into itself; that says nothing about the file system.
      if (!result.ok && result.errno === 'EINVAL' && (await this.#isDirectory(name))) return refused('not-a-file', 'EINVAL');
      return result;
    });
  }

  link(name: string, to: ConfinedDirectory, toName: string): Promise<FsResult<void>> {
    return this.#paired(name, to, toName, async (fd, toFd) => doneOr(await this.#tools.libc.linkat(fd, name, toFd, toName)));
  }

  unlink(name: string): Promise<FsResult<void>> {
    return this.#named(name, async (fd) => doneOr(await this.#tools.libc.unlinkat(fd, name)));
  }

  mayLeave(name: string): Promise<FsResult<void>> {
    return this.#named(name, (fd) => this.#pinned(name, (pin) => mayLeave(this.#tools.libc, fd, pin)));
  }

  names(): Promise<FsResult<readonly string[]>> {
    return this.#descriptor.use(async (fd) => {
      const read = await nodeCalls.readdir(`/proc/self/fd/${fd}`);
      return read.ok ? ok(readableNames(read.value)) : read;
    });
  }

  sync(): Promise<FsResult<void>> {
    // Held open until the shared fsync is over: the inode's number cannot be given to another directory meanwhile.
    return this.#descriptor.use((fd) => this.#tools.sharedSync(`${this.identity.dev}:${this.identity.ino}`, () => nodeCalls.fsync(fd)));
  }

  close(): Promise<void> {
    return this.#descriptor.closeDirectory();
  }

  /** Opens what has this name as O_PATH for the time of `action`. */
  #pinned<T>(name: string, action: (pin: number) => Promise<FsResult<T>>): Promise<FsResult<T>> {
    return this.#named(name, async (fd) => {
      const pin = await this.#tools.resolver.pin(this.#anchor, fd, name);
      if (!pin.ok) return pin;
      try {
        return await action(pin.value);
      } finally {
        closeSync(pin.value);
      }
    });
  }

  async #isDirectory(name: string): Promise<boolean> {
    const entry = await this.entry(name);
    return entry.ok && entry.value.type === 'directory';
  }

  #named<T>(name: string, action: (fd: number) => Promise<FsResult<T>>): Promise<FsResult<T>> {
    return this.#descriptor.use((fd) => {
      const refusal = refuseName(name);
      return refusal === undefined ? action(fd) : Promise.resolve(refusal);
    });
  }

  #paired(name: string, to: ConfinedDirectory, toName: string, action: (fd: number, toFd: number) => Promise<FsResult<void>>): Promise<FsResult<void>> {
    if (!(to instanceof LinuxDirectory)) return Promise.reject(new WritError('INTERNAL', 'two directories of different adapters'));
    return this.#named(name, (fd) => to.#named(toName, (toFd) => action(fd, toFd)));
  }
}
