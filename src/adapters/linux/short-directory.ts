import { constants, fstatSync, openSync, statSync } from 'node:fs';

/** `sun_path` of Linux without its final NUL, bytes. libuv cuts off what is beyond, and so meets another socket. */
const MAX_SOCKET_PATH = 107;

/** Open for the life of the process, because connections come back to the path after a reconnect: under its number there must never be another directory. */
const descriptors = new Map<string, number>();

/**
 * A path of a directory under which the path of each socket fits into a socket address; valid in this process. That of a
 * directory that is not there stays as it is.
 *
 * @param directory  absolute
 * @param longestName bytes of the longest name beneath it, with the slashes within
 */
export function shortDirectory(directory: string, longestName: number): string {
  if (Buffer.byteLength(directory) + 1 + longestName <= MAX_SOCKET_PATH) return directory;
  const now = statSync(directory, { throwIfNoEntry: false });
  if (now === undefined) return directory;
  const known = descriptors.get(directory);
  if (known !== undefined) {
    const { dev, ino } = fstatSync(known);
    if (dev === now.dev && ino === now.ino) return placeOf(known);
  }
  const opened = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  descriptors.set(directory, opened);
  return placeOf(opened);
}

const placeOf = (descriptor: number): string => `/proc/self/fd/${descriptor}`;
