import { closeSync, constants } from 'node:fs';
import * as path from 'node:path';
import { WritError } from '../../../core/errors.ts';
import type { ConfinedBase, ConfinedDirectory, DirectoryIdentity, FsResult } from '../../../core/ports/confined-fs.ts';
import type { Standing } from '../../../core/ports/place.ts';
import { errnoName, O_CLOEXEC, O_PATH } from '../libc.ts';
import { identityOfOpened, type PlaceIdentity, standingOf } from '../place-identity.ts';
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
 * Opens a base directory once. The descriptor stays, wherever its path leads later; `standing` tells whether it still leads here.
 *
 * The path comes from the operator's configuration, so symbolic links above it are followed (`/srv` may be one). The
 * base itself must be a directory and no link: whoever may write in its parent could otherwise point it elsewhere
 * between two starts.
 *
 * Throws WritError INVALID_CONFIG.
 */
export async function openBase(id: string, basePath: string, allowed: ReadonlySet<string>, tools: Toolbox): Promise<ConfinedBase> {
  const invalid = (why: string): WritError =>
    new WritError('INVALID_CONFIG', `base directory '${id}' (${basePath}): ${why}`, { field: `file.base_directories.${id}` });
  if (!path.isAbsolute(basePath) || path.resolve(basePath) !== basePath || basePath.includes('\0')) throw invalid('the path must be absolute and normalized');

  const fd = await tools.libc.openat(AT_FDCWD, basePath, OPEN_BASE, 0);
  if (fd < 0) throw invalid(WHY[errnoName(fd)] ?? `it cannot be opened (${errnoName(fd)})`);
  try {
    const type = judgeType(await filesystemOf(fd), allowed);
    if (!type.allowed) throw invalid(`it lies on a file system of type ${type.name}, allowed are: ${[...allowed].join(', ')}`);
    const stats = statOpened(fd);
    const place = identityOfOpened(tools.libc, fd);
    const mount = { id: place.mountId, isTop: (await mountAbove(fd, tools)) !== place.mountId };
    return new LinuxBase({ id, path: basePath, identity: identityOf(stats), mount }, place, { fd, dev: stats.dev, mountId: mountIdOf(fd) }, tools);
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

/** The mount of the directory above. At the root of everything, and where the directory above may not be opened: its own. */
async function mountAbove(fd: number, { libc }: Toolbox): Promise<string> {
  const above = await libc.openat(fd, '..', O_PATH | O_CLOEXEC, 0);
  if (above < 0) return mountIdOf(fd);
  try {
    return mountIdOf(above);
  } finally {
    closeSync(above);
  }
}

class LinuxBase implements ConfinedBase {
  readonly id: string;
  readonly path: string;
  readonly identity: DirectoryIdentity;
  readonly mount: ConfinedBase['mount'];
  readonly #place: PlaceIdentity;
  readonly #anchor: Anchor;
  readonly #descriptor: Descriptor;
  readonly #tools: Toolbox;

  constructor({ id, path, identity, mount }: Pick<ConfinedBase, 'id' | 'path' | 'identity' | 'mount'>, place: PlaceIdentity, anchor: Anchor, tools: Toolbox) {
    this.id = id;
    this.path = path;
    this.identity = identity;
    this.mount = mount;
    this.#place = place;
    this.#anchor = anchor;
    this.#descriptor = new Descriptor(anchor.fd, `base directory '${id}'`);
    this.#tools = tools;
  }

  standing(): Standing {
    return standingOf(this.#tools.libc, this.#place, this.path);
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
