import type { ConfinedDirectory, ConfinedFile, ConfinedFileSystem, FsResult, HostMemory, TaskExecutor } from '../../../src/core/ports/index.ts';
import type { SeamContext, Seams } from '../seams.ts';

/** A fault in the protocol, put in between two parts of the product. Every one of them must be found. */
export interface Mutant {
  /** What is wrong, in the words of a change that somebody might make. */
  readonly name: string;
  readonly seams: Seams;
}

type Directory = (directory: ConfinedDirectory) => ConfinedDirectory;
type File = (file: ConfinedFile) => ConfinedFile;

/** A file system whose directories and files are other ones. */
export function fileSystemWith(directory: Directory, file: File = (same) => same): Pick<Seams, 'fileSystem'> {
  const wrapped = new WeakMap<ConfinedDirectory, ConfinedDirectory>();
  const opened = <T>(result: FsResult<T>, wrap: (value: T) => T): FsResult<T> => (result.ok ? { ok: true, value: wrap(result.value) } : result);
  const wrap = (inner: ConfinedDirectory): ConfinedDirectory => {
    const outer = directory({
      ...inner,
      openFile: async (name) => opened(await inner.openFile(name), file),
      createFile: async (name) => opened(await inner.createFile(name), file),
    });
    wrapped.set(outer, inner);
    return outer;
  };
  return {
    fileSystem: (inner): ConfinedFileSystem => ({
      ...inner,
      async openBase(id, path) {
        const base = await inner.openBase(id, path);
        return { ...base, directory: async (segments) => opened(await base.directory(segments), wrap) };
      },
    }),
  };
}

/** What an answer without a value looks like when nothing was done for it. */
export const DONE = { ok: true, value: undefined } as const;

export function executorWith(change: (executor: TaskExecutor, context: SeamContext) => Partial<TaskExecutor>): Pick<Seams, 'executor'> {
  return { executor: (executor, context) => ({ ...executor, ...change(executor, context) }) };
}

export function memoryWith(change: (memory: HostMemory, context: SeamContext) => Partial<HostMemory>): Pick<Seams, 'executor'> {
  return executorWith(({ memory }, context) => (memory === undefined ? {} : { memory: { ...memory, ...change(memory, context) } }));
}
