import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWritError } from '../../../src/core/errors.ts';
import type { FileExecutor } from '../../../src/executors/file/index.ts';
import {
  contents,
  context,
  copyTask,
  createFileRig,
  deleteTask,
  deliver,
  ending,
  type FileRig,
  makeRoom,
  moveTask,
  put,
  type Room,
  SimulatedCrash,
} from '../../support/file-executor.ts';

let rig: FileRig;
let executor: FileExecutor;
beforeAll(async () => {
  rig = await createFileRig();
  executor = await rig.executor();
});
afterAll(() => rig.close());

const room = (): Promise<Room> => makeRoom(rig);

describe('a task that is delivered again', () => {
  it('answers a finished task with the same bytes and does nothing [FE-37] [FE-38] [FE-53]', async () => {
    const { near, far } = await room();
    for (const task of [
      moveTask(await put(near, 'a', 'one'), `${far}/a`),
      copyTask(await put(near, 'b', 'two'), `${far}/b`),
      deleteTask(await put(near, 'c', 'three')),
    ]) {
      const first = await deliver(executor, task);
      const world = [await contents(near), await contents(far)];
      const second = await deliver(executor, { ...task, epoch: 2 });
      expect(second).toMatchObject({ kind: 'outcome', replayed: true });
      expect(second.kind === 'outcome' && first.kind === 'outcome' && second.text === first.text).toBe(true);
      expect([await contents(near), await contents(far)]).toEqual(world);
    }
  });

  it('leaves a re-created source alone [FE-39]', async () => {
    const { near, far } = await room();
    for (const [name, task] of Object.entries({ a: moveTask(`${near}/a`, `${far}/a`), b: moveTask(`${near}/b`, `${near}/b2`), c: deleteTask(`${near}/c`) })) {
      await put(near, name, 'old');
      expect(await ending(deliver(executor, task))).toBe('SUCCESS');
      await writeFile(`${near}/${name}`, 'new');
      expect(await ending(deliver(executor, { ...task, epoch: 2 }))).toBe('SUCCESS');
      expect(await contents(near)).toMatchObject({ [name]: 'new' });
    }
  });

  it('runs again after a FAILURE', async () => {
    const { near } = await room();
    const task = moveTask(`${near}/a`, `${near}/b`);
    expect(await ending(deliver(executor, task))).toMatch(/does not exist/);
    await put(near, 'a', 'one');
    await put(near, 'b', 'two');
    const racing = await rig.executor({
      onPoint: (point) => {
        if (point === 'intent') throw new SimulatedCrash();
      },
    });
    await expect(deliver(racing, moveTask(`${near}/a`, `${near}/c`, { id: `opened-${randomUUID()}` }))).rejects.toThrow(SimulatedCrash);
    await racing.stop();
    expect(await ending(deliver(executor, { ...task, epoch: 2 }))).toBe('EXECUTION_FAILED: the destination exists');
    await deliver(executor, moveTask(`${near}/b`, `${near}/b2`));
    expect(await ending(deliver(executor, { ...task, epoch: 3 }))).toBe('SUCCESS');
    expect(await contents(near)).toEqual({ b: 'one', b2: 'two' });
  });

  it('runs again after a FAILURE that had opened an attempt, under a new attempt number', async () => {
    const { near, far } = await room();
    const stop = new AbortController();
    const cancelling = await rig.executor({
      onPoint: (point) => {
        if (point === 'C1') stop.abort('cancelled');
      },
    });
    const task = copyTask(await put(near, 'a', 'one'), `${far}/a`);
    expect(await ending(deliver(cancelling, task, { context: context({ signal: stop.signal }) }))).toBe('EXECUTION_FAILED: cancelled');
    expect(await ending(deliver(executor, { ...task, epoch: 2 }))).toBe('SUCCESS');
    expect((await rig.journal.view(task.manifest.task_id)).attempts).toBe(2);
    await cancelling.stop();
  });

  it('has one effect when many deliveries run at once; the others are busy or get the same answer [FE-37]', async () => {
    const { near, far } = await room();
    const task = moveTask(await put(near, 'a', 'one'), `${far}/a`);
    const second = await rig.executor();
    const ends = await Promise.all(Array.from({ length: 10 }, (_, index) => ending(deliver(index % 2 ? executor : second, { ...task, epoch: index + 1 }))));
    expect(ends.filter((end) => end !== 'busy' && end !== 'SUCCESS')).toEqual([]);
    expect(await ending(deliver(executor, { ...task, epoch: 20 }))).toBe('SUCCESS');
    expect([await contents(near), await contents(far)]).toEqual([{}, { a: 'one' }]);
    expect((await rig.journal.view(task.manifest.task_id)).attempts).toBe(1);
    await second.stop();
  });

  it('never answers FAILURE for the shadow of an effect that another run has just had', async () => {
    const { near } = await room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    // A second worker recalled the task as unknown, and comes to execute it after the first one has finished.
    const second = await rig.executor();
    expect(await second.memory.recall(task.manifest.task_id)).toEqual({ kind: 'unknown' });
    expect(await ending(deliver(executor, task))).toBe('SUCCESS');
    expect(await second.execute({ ...task, epoch: 2 }, context())).toMatchObject({ kind: 'busy' });
    await second.stop();
  });
});

describe('a look that came too early', () => {
  it('is repeated before a FAILURE is answered: the source may be gone because the task was done', async () => {
    const { near } = await room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    const { journal } = rig;
    let early = await journal.view(task.manifest.task_id);
    expect(await ending(deliver(executor, task))).toBe('SUCCESS');
    const late = await rig.executor({
      journal: {
        ...journal,
        async view(taskId) {
          const answer = early;
          early = await journal.view(taskId);
          return answer;
        },
      },
    });
    expect(await late.execute({ ...task, epoch: 2 }, context())).toMatchObject({ kind: 'busy' });
    await late.stop();
  });
});

describe('an outcome that was not recorded', () => {
  it('is given again, not worked out again, while its attempt is open in this process', async () => {
    const { near } = await room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    const first = await executor.execute(task, context());
    expect(first).toMatchObject({ kind: 'outcome', outcome: { status: 'SUCCESS' } });
    // The signing failed, say: nothing was concluded. The next delivery recalls an open attempt.
    expect(await executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'open' });
    const second = { ...task, epoch: 2 };
    expect(await executor.memory.recover(second, context(), { mayRedo: true })).toEqual(first);
    await Promise.all([executor.memory.conclude(task, 'SUCCESS', 'signed'), executor.memory.conclude(second, 'SUCCESS', 'signed')]);
    expect(await executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'finished', result: 'signed' });
  });

  it('is not touched by the conclusion of a claim that never had it', async () => {
    const { near } = await room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    await executor.execute(task, context());
    await executor.memory.conclude({ ...task, epoch: 7 }, 'FAILURE', 'of another claim');
    expect(await executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'open' });
    await expect(executor.memory.conclude(task, 'FAILURE', 'contradiction')).rejects.toSatisfy(isWritError);
    await executor.memory.conclude(task, 'SUCCESS', 'signed');
    await executor.memory.conclude(task, 'SUCCESS', 'signed');
    expect(await executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'finished', result: 'signed' });
  });

  it('can be concluded again after the journal refused once', async () => {
    const { near } = await room();
    let refuse = true;
    const { journal } = rig;
    const moody = await rig.executor({
      journal: {
        ...journal,
        async close(...args) {
          if (refuse) throw new Error('disk full');
          return journal.close(...args);
        },
      },
    });
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    await expect(deliver(moody, task)).rejects.toThrow('disk full');
    refuse = false;
    expect(await ending(deliver(moody, { ...task, epoch: 2 }))).toBe('SUCCESS');
    expect(await executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'finished' });
    await moody.stop();
  });

  it('lists successes for a lost ledger', async () => {
    const listed = await executor.memory.successes(undefined, 1000);
    expect(listed.length).toBeGreaterThan(5);
    expect(listed.map(({ taskId }) => taskId)).toEqual(listed.map(({ taskId }) => taskId).sort());
    expect((await executor.memory.successes(listed[0]?.taskId, 2))[0]).toEqual(listed[1]);
  });
});
