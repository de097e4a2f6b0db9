import { closeSync, constants } from 'node:fs';
import type { FsResult } from '../../../core/ports/confined-fs.ts';
import { type Libc, O_CLOEXEC, O_PATH } from '../libc.ts';
import { mountIdOf } from './mount-id.ts';
import { fromCall, ok, refused } from './refusals.ts';
import type { Anchor, Resolver } from './resolver.ts';
import { statOpened, typeOf } from './stats.ts';

const PIN = O_PATH | constants.O_NOFOLLOW | O_CLOEXEC;
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | O_CLOEXEC;

/**
 * For kernels and sandboxes without openat2: one component after the other, each opened as O_PATH|O_NOFOLLOW in its
 * parent's descriptor and looked at before the next step. Whatever is renamed meanwhile, every step starts from an
 * inode that was reached from the base, and no step follows anything.
 */
export function createWalkResolver(libc: Libc): Resolver {
  async function pin(anchor: Anchor, at: number, name: string): Promise<FsResult<number>> {
    const opened = fromCall(await libc.openat(at, name, PIN, 0), 'resolve');
    if (!opened.ok) return opened;
    return keepIf(opened.value, mountIdOf(opened.value) === anchor.mountId ? undefined : refused('mount', 'EXDEV'));
  }

  async function step(anchor: Anchor, at: number, name: string): Promise<FsResult<number>> {
    const pinned = await pin(anchor, at, name);
    if (!pinned.ok) return pinned;
    const type = typeOf(statOpened(pinned.value));
    if (type === 'symlink') return keepIf(pinned.value, refused('symlink', 'ELOOP'));
    return keepIf(pinned.value, type === 'directory' ? undefined : refused('not-a-directory', 'ENOTDIR'));
  }

  return {
    level: 'walk',
    pin,
    async directory(anchor, segments) {
      let current = anchor.fd;
      for (const segment of segments) {
        const next = await step(anchor, current, segment);
        if (current !== anchor.fd) closeSync(current);
        if (!next.ok) return next;
        current = next.value;
      }
      // `.` of a descriptor is that very directory: opening it for reading leaves no gap.
      const readable = fromCall(await libc.openat(current, '.', DIRECTORY, 0), 'resolve');
      if (current !== anchor.fd) closeSync(current);
      return readable;
    },
  };
}

function keepIf(fd: number, refusal: FsResult<never> | undefined): FsResult<number> {
  if (refusal === undefined) return ok(fd);
  closeSync(fd);
  return refusal;
}
