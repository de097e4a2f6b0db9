import type { ConfinedBase, ConfinedDirectory, ConfinedFile, ConfinedFileSystem, CopyOptions, FsRefusal, FsResult } from '../../../src/core/ports/index.ts';

export type Operation =
  | 'entry'
  | 'openFile'
  | 'createFile'
  | 'renameNoReplace'
  | 'link'
  | 'unlink'
  | 'mayLeave'
  | 'sync'
  | 'copyTo'
  | 'setAttributes'
  | 'syncFile';

/** Answers a refusal where the real file system would be asked; undefined: ask it. `name` is empty for open files. */
export type Fault = (operation: Operation, name: string, toName: string) => FsRefusal | undefined;

/** The real file system, some of whose calls are refused. What it does not refuse it really does. */
export function withFaults(inner: ConfinedFileSystem, fault: Fault): ConfinedFileSystem {
  return { level: inner.level, openBase: async (id, path) => faultyBase(await inner.openBase(id, path), fault) };
}

/** A kernel without RENAME_NOREPLACE. */
export const withoutNoReplace: Fault = (operation) => (operation === 'renameNoReplace' ? 'unsupported' : undefined);

const ERRNO: Partial<Record<FsRefusal, string>> = {
  io: 'EIO',
  'no-space': 'ENOSPC',
  permission: 'EACCES',
  unsupported: 'EINVAL',
  exists: 'EEXIST',
  'read-only': 'EROFS',
};

function refused(refusal: FsRefusal): { ok: false; refusal: FsRefusal; errno: string } {
  return { ok: false, refusal, errno: ERRNO[refusal] ?? 'EIO' };
}

function faultyBase(inner: ConfinedBase, fault: Fault): ConfinedBase {
  return {
    id: inner.id,
    path: inner.path,
    identity: inner.identity,
    mount: inner.mount,
    standing: () => inner.standing(),
    async directory(segments) {
      const opened = await inner.directory(segments);
      return opened.ok ? { ok: true, value: new FaultyDirectory(opened.value, fault) } : opened;
    },
    freeBytes: () => inner.freeBytes(),
    close: () => inner.close(),
  };
}

class FaultyDirectory implements ConfinedDirectory {
  readonly identity: ConfinedDirectory['identity'];
  readonly #inner: ConfinedDirectory;
  readonly #fault: Fault;

  constructor(inner: ConfinedDirectory, fault: Fault) {
    this.identity = inner.identity;
    this.#inner = inner;
    this.#fault = fault;
  }

  async #ask<T>(operation: Operation, name: string, toName: string, real: () => Promise<FsResult<T>>): Promise<FsResult<T>> {
    const refusal = this.#fault(operation, name, toName);
    return refusal === undefined ? real() : refused(refusal);
  }

  entry(name: string): ReturnType<ConfinedDirectory['entry']> {
    return this.#ask('entry', name, '', () => this.#inner.entry(name));
  }
  openFile(name: string): ReturnType<ConfinedDirectory['openFile']> {
    return this.#ask('openFile', name, '', async () => this.#wrapped(await this.#inner.openFile(name)));
  }
  createFile(name: string): ReturnType<ConfinedDirectory['createFile']> {
    return this.#ask('createFile', name, '', async () => this.#wrapped(await this.#inner.createFile(name)));
  }
  renameNoReplace(name: string, to: ConfinedDirectory, toName: string): Promise<FsResult<void>> {
    return this.#ask('renameNoReplace', name, toName, () => this.#inner.renameNoReplace(name, innerOf(to), toName));
  }
  link(name: string, to: ConfinedDirectory, toName: string): Promise<FsResult<void>> {
    return this.#ask('link', name, toName, () => this.#inner.link(name, innerOf(to), toName));
  }
  unlink(name: string): Promise<FsResult<void>> {
    return this.#ask('unlink', name, '', () => this.#inner.unlink(name));
  }
  mayLeave(name: string): Promise<FsResult<void>> {
    return this.#ask('mayLeave', name, '', () => this.#inner.mayLeave(name));
  }
  makeDirectory(name: string, mode: number): Promise<FsResult<void>> {
    return this.#inner.makeDirectory(name, mode);
  }
  names(): ReturnType<ConfinedDirectory['names']> {
    return this.#inner.names();
  }
  sync(): Promise<FsResult<void>> {
    return this.#ask('sync', '', '', () => this.#inner.sync());
  }
  close(): Promise<void> {
    return this.#inner.close();
  }
  static inner(directory: ConfinedDirectory): ConfinedDirectory {
    return directory instanceof FaultyDirectory ? directory.#inner : directory;
  }

  #wrapped(opened: FsResult<ConfinedFile>): FsResult<ConfinedFile> {
    return opened.ok ? { ok: true, value: new FaultyFile(opened.value, this.#fault) } : opened;
  }
}

const innerOf = FaultyDirectory.inner;

class FaultyFile implements ConfinedFile {
  readonly #inner: ConfinedFile;
  readonly #fault: Fault;

  constructor(inner: ConfinedFile, fault: Fault) {
    this.#inner = inner;
    this.#fault = fault;
  }

  async #ask<T>(operation: Operation, real: () => Promise<FsResult<T>>): Promise<FsResult<T>> {
    const refusal = this.#fault(operation, '', '');
    return refusal === undefined ? real() : refused(refusal);
  }

  stat(): ReturnType<ConfinedFile['stat']> {
    return this.#inner.stat();
  }
  read(buffer: Uint8Array, position: number): Promise<FsResult<number>> {
    return this.#inner.read(buffer, position);
  }
  write(buffer: Uint8Array, position: number): Promise<FsResult<void>> {
    return this.#inner.write(buffer, position);
  }
  copyTo(target: ConfinedFile, options?: CopyOptions): ReturnType<ConfinedFile['copyTo']> {
    return this.#ask('copyTo', () => this.#inner.copyTo(target instanceof FaultyFile ? target.#inner : target, options));
  }
  setAttributes(attributes: Parameters<ConfinedFile['setAttributes']>[0]): Promise<FsResult<void>> {
    return this.#ask('setAttributes', () => this.#inner.setAttributes(attributes));
  }
  extendedAttributes(): ReturnType<ConfinedFile['extendedAttributes']> {
    return this.#inner.extendedAttributes();
  }
  sync(): Promise<FsResult<void>> {
    return this.#ask('syncFile', () => this.#inner.sync());
  }
  close(): Promise<void> {
    return this.#inner.close();
  }
}
