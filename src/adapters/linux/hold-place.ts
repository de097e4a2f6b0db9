import { closeSync, constants } from 'node:fs';
import { messageOf, WritError } from '../../core/errors.ts';
import type { HeldPlace } from '../../core/ports/place.ts';
import { errnoName, libc, O_CLOEXEC, O_PATH } from './libc.ts';
import { identityOfOpened, standingOf } from './place-identity.ts';

const AT_FDCWD = -100;

/**
 * Holds what stands at an absolute path now, as O_PATH: neither its contents nor rights to them are needed.
 *
 * Throws WritError STORAGE_UNAVAILABLE when nothing can be held there.
 */
export function holdPlace(path: string): HeldPlace {
  const calls = libc();
  const fd = calls.openatSync(AT_FDCWD, path, O_PATH | constants.O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) throw new WritError('STORAGE_UNAVAILABLE', `${path} cannot be opened (${errnoName(fd)})`);
  try {
    const held = identityOfOpened(calls, fd);
    let isOpen = true;
    return {
      path,
      standing() {
        if (!isOpen) throw new WritError('INTERNAL', `${path} is used after it was closed`);
        return standingOf(calls, held, path);
      },
      close() {
        if (isOpen) closeSync(fd);
        isOpen = false;
      },
    };
  } catch (error) {
    closeSync(fd);
    throw new WritError('STORAGE_UNAVAILABLE', `${path} cannot be identified: ${messageOf(error)}`, { cause: error });
  }
}
