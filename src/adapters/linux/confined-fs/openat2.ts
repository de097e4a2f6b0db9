import { closeSync, constants } from 'node:fs';
import { constants as osConstants } from 'node:os';
import type { FsResult } from '../../../core/ports/confined-fs.ts';
import { type Libc, O_CLOEXEC, O_PATH, openHow } from '../libc.ts';
import { fromCall } from './refusals.ts';
import type { Resolver } from './resolver.ts';

const RESOLVE_NO_XDEV = 0x01;
const RESOLVE_NO_MAGICLINKS = 0x02;
const RESOLVE_NO_SYMLINKS = 0x04;
const RESOLVE_BENEATH = 0x08;
const RESOLVE_CACHED = 0x20;

const CONFINED = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | O_CLOEXEC;
const PIN = O_PATH | constants.O_NOFOLLOW | O_CLOEXEC;

const EAGAIN = -osConstants.errno.EAGAIN;
/** The kernel asks to try again when something was renamed beside the resolution; an attacker can do that at will. */
const ATTEMPTS = 64;

interface How {
  /** Answers EAGAIN instead of waiting for a disk, so that it may run on the event loop. */
  readonly cached: Uint8Array | undefined;
  readonly waiting: Uint8Array;
}

/** The kernel resolves: one call for a path of any depth. */
export function createOpenat2Resolver(libc: Libc): Resolver {
  const hasCached = probe(libc, CONFINED | RESOLVE_CACHED);
  const directory = how(DIRECTORY, hasCached);
  const pin = how(PIN, hasCached);

  function open(at: number, path: string, { cached, waiting }: How): FsResult<number> | Promise<FsResult<number>> {
    const quick = cached === undefined ? EAGAIN : libc.openat2Sync(at, path, cached);
    return quick === EAGAIN ? openWaiting(libc, at, path, waiting) : fromCall(quick, 'resolve');
  }

  return {
    level: 'openat2',
    directory: (anchor, segments) => open(anchor.fd, segments.length === 0 ? '.' : segments.join('/'), directory),
    pin: (_anchor, at, name) => open(at, name, pin),
  };
}

/** Whether the kernel has openat2 and a sandbox (old container runtimes answer EPERM) lets us use it. */
export function hasOpenat2(libc: Libc): boolean {
  return probe(libc, CONFINED);
}

async function openWaiting(libc: Libc, at: number, path: string, waiting: Uint8Array): Promise<FsResult<number>> {
  let result = EAGAIN;
  for (let attempt = 0; result === EAGAIN && attempt < ATTEMPTS; attempt++) result = await libc.openat2(at, path, waiting);
  return fromCall(result, 'resolve');
}

function how(flags: number, hasCached: boolean): How {
  return { waiting: openHow(flags, CONFINED), cached: hasCached ? openHow(flags, CONFINED | RESOLVE_CACHED) : undefined };
}

/** The working directory is always in the cache. An unknown flag is EINVAL, an unknown call ENOSYS. */
function probe(libc: Libc, resolve: number): boolean {
  const AT_FDCWD = -100;
  const fd = libc.openat2Sync(AT_FDCWD, '.', openHow(O_PATH | O_CLOEXEC, resolve));
  if (fd >= 0) closeSync(fd);
  return fd >= 0;
}
