import { afterAll, beforeAll } from 'vitest';
import type { FileExecutor } from '../../../src/executors/file/index.ts';
import { createFileRig, type FileRig, makeRoom, type Room } from '../../support/file-executor.ts';

/** What the tests of one file share; there from their first `beforeAll` on. */
export interface Shared {
  readonly rig: FileRig;
  readonly executor: FileExecutor;
  /** Fresh directories in each of the bases. */
  room(): Promise<Room>;
}

/** One rig and one executor for all tests of the calling file. */
export function useFileRig(): Shared {
  let rig: FileRig | undefined;
  let executor: FileExecutor | undefined;
  beforeAll(async () => {
    rig = await createFileRig();
    executor = await rig.executor();
  });
  afterAll(() => rig?.close());
  return {
    get rig() {
      return there(rig);
    },
    get executor() {
      return there(executor);
    },
    room: () => makeRoom(there(rig)),
  };
}

function there<T>(made: T | undefined): T {
  if (made === undefined) throw new Error('the rig is made by beforeAll');
  return made;
}
