import { closeSync, constants } from 'node:fs';
import * as path from 'node:path';
import { WritError } from '../../../core/errors.ts';
import type { ConfinedBase, ConfinedDirectory, DirectoryIdentity, FsResult } from '../../../core/ports/confined-fs.ts';
import { errnoName, O_CLOEXEC } from '../libc.ts';
import { Descriptor } from './descriptor.ts';
import { LinuxDirectory } from './directory.ts';
import { judgeType } from './filesystem-types.ts';
import { mountIdOf } from './mount-id.ts';
import { refuseName } from './names.ts';
import { nodeCalls } from './node-calls.ts';
import { ok, refused } from './refusals.ts';
import type { Anchor } from './resolver.ts';
import { identityOf, statOpened } from './stats.ts';
import type { Toolbox } from './toolbox.ts';

const AT_FDCWD = -100;
const OPEN_BASE = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_CLOEXEC;

/**
 * Opens a base directory once; later renames of it or of its parents do not matter, the descriptor stays.
 *
 * The path comes from the operator's configuration, so symbolic links above it are followed (`/srv` may be one). The
 * base itself must be a directory and no link: whoever may write in its parent could otherwise point it elsewhere
 * between two starts.
 *
 * Throws WritError INVALID_CONFIG.
 */
export async function openBase(id: string, basePath: string, allowed: ReadonlySet<string>, tools: Toolbox): Promise<ConfinedBase> {
  const invalid = (why: string): WritError => new WritError('INVALID_CONFIG', `base directory '${id}' (${basePath}): ${why}`, { field: id });
  if (!path.isAbsolute(basePath) || path.resolve(basePath) !== basePath || basePath.includes('\0')) throw invalid('the path must be absolute and normalized');

  const fd = await tools.libc.openat(AT_FDCWD, basePath, OPEN_BASE, 0);
  if (fd < 0) throw invalid(WHY[errnoName(fd)] ?? `it cannot be opened (${errnoName(fd)})`);
  try {
    const type = judgeType(await filesystemOf(fd), allowed);
    if (!type.allowed) throw invalid(`it lies on a file system of type ${type.name}, allowed are: ${[...allowed].join(', ')}`);
    const stats = statOpened(fd);
    return new LinuxBase(id, basePath, identityOf(stats), { fd, dev: stats.dev, mountId: mountIdOf(fd) }, tools);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is no directory, or a symbolic link',
  ELOOP: 'it is a symbolic link',
  EACCES: 'this account may not read it',
};

async function filesystemOf(fd: number): Promise<bigint> {
  const found = await nodeCalls.statfs(`/proc/self/fd/${fd}`);
  if (!found.ok) throw new WritError('INVALID_CONFIG', `the type of the file system cannot be read (${found.errno}); is /proc mounted?`);
  return found.value.type;
}

class LinuxBase implements ConfinedBase {
  readonly id: string;
  readonly path: string;
  readonly identity: DirectoryIdentity;
  readonly #anchor: Anchor;
  readonly #descriptor: Descriptor;
  readonly #tools: Toolbox;

  constructor(id: string, basePath: string, identity: DirectoryIdentity, anchor: Anchor, tools: Toolbox) {
    this.id = id;
    this.path = basePath;
    this.identity = identity;
    this.#anchor = anchor;
    this.#descriptor = new Descriptor(anchor.fd, `base directory '${id}'`);
    this.#tools = tools;
  }

  directory(segments: readonly string[]): Promise<FsResult<ConfinedDirectory>> {
    return this.#descriptor.use(async () => {
      for (const segment of segments) {
        const refusal = refuseName(segment);
        if (refusal !== undefined) return refusal;
      }
      const opened = await this.#tools.resolver.directory(this.#anchor, segments);
      if (!opened.ok) return opened;
      const stats = statOpened(opened.value);
      // A btrfs subvolume is no mount point, and yet nothing can be renamed into it.
      if (stats.dev !== this.#anchor.dev) {
        closeSync(opened.value);
        return refused('mount', 'EXDEV');
      }
      return ok(new LinuxDirectory(opened.value, identityOf(stats), this.#anchor, this.#tools));
    });
  }

  freeBytes(): Promise<number> {
    return this.#descriptor.use(async (fd) => {
      const found = await nodeCalls.statfs(`/proc/self/fd/${fd}`);
      if (!found.ok) throw new WritError('STORAGE_UNAVAILABLE', `free space of base directory '${this.id}' cannot be read (${found.errno})`);
      return Number(found.value.bavail * found.value.bsize);
    });
  }

  close(): Promise<void> {
    return this.#descriptor.closeDirectory();
  }
}
