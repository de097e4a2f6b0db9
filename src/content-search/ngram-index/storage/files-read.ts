import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileRefusal, OpenSegmentFile } from '../../../core/ports/index.ts';
import { isOursAlone } from './files-directory.ts';
import { codeOf } from './sqlite-directory.ts';

/** No link as the last name; and nothing that could hold an open up. */
const READ_AS_IS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file of an index for reading. `EINVAL`: no regular file; `EPERM`: others may have written it. */
export function openFile(path: string): OpenSegmentFile | FileRefusal {
  let fd: number | undefined;
  try {
    fd = openSync(path, READ_AS_IS);
    const stat = fstatSync(fd, { bigint: true });
    const refused = stat.isFile() ? (isOursAlone({ uid: Number(stat.uid), mode: Number(stat.mode) }) ? undefined : 'EPERM') : 'EINVAL';
    if (refused === undefined) return opened(fd, Number(stat.size), `${stat.dev}:${stat.ino}:${stat.ctimeNs}`);
    closeSync(fd);
    return { refused };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    const code = codeOf(error);
    if (code === '') throw error;
    return { refused: code };
  }
}

function opened(fd: number, size: number, identity: string): OpenSegmentFile {
  let open = true;
  return {
    size,
    identity,
    read(offset, length) {
      // A number that somebody else may have written must not decide how much memory is taken.
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
      let done = 0;
      while (done < bytes.length) {
        const count = readSync(fd, bytes, done, bytes.length - done, offset + done);
        if (count === 0) break;
        done += count;
      }
      return bytes.subarray(0, done);
    },
    close() {
      if (open) closeSync(fd);
      open = false;
    },
  };
}
