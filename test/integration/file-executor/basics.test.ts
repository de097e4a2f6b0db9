import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileExecutor } from '../../../src/executors/file/index.ts';
import { contents, copyTask, createFileRig, deleteTask, deliver, ending, type FileRig, moveTask, put } from '../../support/file-executor.ts';

let rig: FileRig;
let executor: FileExecutor;
beforeAll(async () => {
  rig = await createFileRig();
  executor = await rig.executor();
});
afterAll(() => rig.close());

describe('smoke', () => {
  it('moves', async () => {
    const source = await put(rig.near, 'a');
    console.log(JSON.stringify(await deliver(executor, moveTask(source, `${rig.near}/b`))));
    console.log(JSON.stringify(await deliver(executor, moveTask(`${rig.near}/b`, `${rig.next}/b`))));
    console.log(JSON.stringify(await deliver(executor, moveTask(`${rig.next}/b`, `${rig.far}/b`))));
    console.log(JSON.stringify(await deliver(executor, copyTask(`${rig.far}/b`, `${rig.near}/b`))));
    console.log(JSON.stringify(await deliver(executor, deleteTask(`${rig.far}/b`))));
    console.log(await contents(rig.near), await contents(rig.next), await contents(rig.far));
  });
});
