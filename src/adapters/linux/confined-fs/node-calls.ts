import * as fs from 'node:fs';
import type { FsResult } from '../../../core/ports/confined-fs.ts';
import { DONE, ok, refusedByErrno } from './refusals.ts';

type Callback<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/** A call of node:fs as a value; an error without an errno is a programming error and is thrown. */
function asValue<T>(start: (callback: Callback<T>) => void): Promise<FsResult<T>> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error === null) resolve(ok(value));
      else if (error.code !== undefined && error.errno !== undefined) resolve(refusedByErrno(error.code));
      else reject(error);
    });
  });
}

function asDone(start: (callback: fs.NoParamCallback) => void): Promise<FsResult<void>> {
  return asValue<void>((callback) => start((error) => callback(error, undefined)));
}

/** The calls of node:fs on descriptors; all on libuv's pool. */
export const nodeCalls = {
  open: (path: string, flags: number): Promise<FsResult<number>> => asValue((callback) => fs.open(path, flags, callback)),
  access: (path: string, mode: number): Promise<FsResult<void>> => asDone((callback) => fs.access(path, mode, callback)),
  close: (fd: number): Promise<FsResult<void>> => asDone((callback) => fs.close(fd, callback)),
  fsync: (fd: number): Promise<FsResult<void>> => asDone((callback) => fs.fsync(fd, callback)),
  ftruncate: (fd: number, bytes: number): Promise<FsResult<void>> => asDone((callback) => fs.ftruncate(fd, bytes, callback)),
  fchmod: (fd: number, mode: number): Promise<FsResult<void>> => asDone((callback) => fs.fchmod(fd, mode, callback)),
  fchown: (fd: number, uid: number, gid: number): Promise<FsResult<void>> => asDone((callback) => fs.fchown(fd, uid, gid, callback)),
  fstat: (fd: number): Promise<FsResult<fs.BigIntStats>> => asValue((callback) => fs.fstat(fd, { bigint: true }, callback)),
  statfs: (path: string): Promise<FsResult<fs.BigIntStatsFs>> => asValue((callback) => fs.statfs(path, { bigint: true }, callback)),
  readdir: (path: string): Promise<FsResult<Buffer[]>> => asValue((callback) => fs.readdir(path, { encoding: 'buffer' }, callback)),
  read: (fd: number, buffer: Uint8Array, position: number): Promise<FsResult<number>> =>
    asValue((callback) => fs.read(fd, buffer, 0, buffer.byteLength, position, callback)),
  /** Writes everything: a short write is continued. */
  async write(fd: number, buffer: Uint8Array, position: number): Promise<FsResult<void>> {
    let written = 0;
    while (written < buffer.byteLength) {
      const step = await asValue<number>((callback) => fs.write(fd, buffer, written, buffer.byteLength - written, position + written, callback));
      if (!step.ok) return step;
      written += step.value;
    }
    return DONE;
  },
};
