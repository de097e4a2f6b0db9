import { createConfinedFileSystem } from '../src/adapters/linux/confined-fs/index.ts';
import type { TaskManifest } from '../src/contracts/index.ts';
import type { ConfinementLevel, FilePreview } from '../src/core/ports/index.ts';
import { previewFile } from '../src/executors/file/index.ts';

/** What the file worker of this host is set to, as far as paths go. */
export interface FilePlaces {
  readonly base_directories: Readonly<Record<string, string>>;
  readonly confinement: 'auto' | ConfinementLevel;
  readonly filesystems: readonly string[];
}

/** What a file task would find beneath the base directories of this host, with the confinement of its worker. */
export function previewHere(manifest: TaskManifest, { base_directories, confinement, filesystems }: FilePlaces): Promise<FilePreview | undefined> {
  const bases = Object.entries(base_directories).map(([id, path]) => ({ id, path }));
  return previewFile(manifest, bases, createConfinedFileSystem({ level: confinement, allowedFilesystems: [...filesystems] }));
}
