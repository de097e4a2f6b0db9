import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isWritError } from '../../../src/core/errors.ts';
import { type Execution, failure } from '../../../src/core/outcome.ts';
import { contents, context, copyTask, deleteTask, deliver, ending, moveTask, put, SimulatedCrash } from '../../support/file-executor.ts';
import { useFileRig } from './fixture.ts';

const files = useFileRig();

describe('a task that is delivered again', () => {
  it('answers a finished task with the same bytes and does nothing', { tags: ['FE-37', 'FE-38', 'FE-53'] }, async () => {
    const { near, far } = await files.room();
    for (const task of [
      moveTask(await put(near, 'a', 'one'), `${far}/a`),
      copyTask(await put(near, 'b', 'two'), `${far}/b`),
      deleteTask(await put(near, 'c', 'three')),
    ]) {
      const first = await deliver(files.executor, task);
      const world = [await contents(near), await contents(far)];
      const second = await deliver(files.executor, { ...task, epoch: 2 });
      expect(second).toMatchObject({ kind: 'outcome', replayed: true });
      expect(second.kind === 'outcome' && first.kind === 'outcome' && second.text === first.text).toBe(true);
      expect([await contents(near), await contents(far)]).toEqual(world);
    }
  });

  it('leaves a re-created source alone', { tags: ['FE-39'] }, async () => {
    const { near, far } = await files.room();
    for (const [name, task] of Object.entries({ a: moveTask(`${near}/a`, `${far}/a`), b: moveTask(`${near}/b`, `${near}/b2`), c: deleteTask(`${near}/c`) })) {
      await put(near, name, 'old');
      expect(await ending(deliver(files.executor, task))).toBe('SUCCESS');
      await writeFile(`${near}/${name}`, 'new');
      expect(await ending(deliver(files.executor, { ...task, epoch: 2 }))).toBe('SUCCESS');
      expect(await contents(near)).toMatchObject({ [name]: 'new' });
    }
  });

  it('runs again after a FAILURE', async () => {
    const { near } = await files.room();
    const task = moveTask(`${near}/a`, `${near}/b`);
    expect(await ending(deliver(files.executor, task))).toMatch(/does not exist/);
    await put(near, 'a', 'one');
    await put(near, 'b', 'two');
    const racing = await files.rig.executor({
      onPoint: (point) => {
        if (point === 'intent') throw new SimulatedCrash();
      },
    });
    await expect(deliver(racing, moveTask(`${near}/a`, `${near}/c`, { id: `opened-${randomUUID()}` }))).rejects.toThrow(SimulatedCrash);
    await racing.stop();
    expect(await ending(deliver(files.executor, { ...task, epoch: 2 }))).toBe('EXECUTION_FAILED: the destination exists');
    await deliver(files.executor, moveTask(`${near}/b`, `${near}/b2`));
    expect(await ending(deliver(files.executor, { ...task, epoch: 3 }))).toBe('SUCCESS');
    expect(await contents(near)).toEqual({ b: 'one', b2: 'two' });
  });

  it('runs again after a FAILURE that had opened an attempt, under a new attempt number', async () => {
    const { near, far } = await files.room();
    const stop = new AbortController();
    const cancelling = await files.rig.executor({
      onPoint: (point) => {
        if (point === 'C1') stop.abort('cancelled');
      },
    });
    const task = copyTask(await put(near, 'a', 'one'), `${far}/a`);
    expect(await ending(deliver(cancelling, task, { context: context({ signal: stop.signal }) }))).toBe('EXECUTION_FAILED: cancelled');
    expect(await ending(deliver(files.executor, { ...task, epoch: 2 }))).toBe('SUCCESS');
    expect((await files.rig.journal.view(task.manifest.task_id)).attempts).toBe(2);
    await cancelling.stop();
  });

  it('has no effect where the worker stood still while the intent was written, and its time is over', async () => {
    const { near, far } = await files.room();
    for (const [shut, expected] of [
      [{ kind: 'interrupted', reason: 'lock-lost' }, 'interrupted'],
      [{ kind: 'outcome', outcome: failure('LEASE_EXPIRED', 'the lease has expired') }, 'LEASE_EXPIRED: the lease has expired'],
    ] as const) {
      await put(near, 'b', 'two');
      for (const task of [moveTask(await put(near, 'a', 'one'), `${near}/a2`), copyTask(`${near}/b`, `${far}/b2`), deleteTask(`${near}/b`)]) {
        // Open before the intent, shut after it.
        const looks: (Execution | undefined)[] = [undefined, shut];
        const gate = (): Execution | undefined => looks.shift();
        expect(await ending(deliver(files.executor, task, { context: context({ gate }) }))).toBe(expected);
        expect(await contents(near)).toEqual({ a: 'one', b: 'two' });
        expect(await contents(far)).toEqual({});
        expect(await files.rig.journal.view(task.manifest.task_id)).toMatchObject({ attempts: 1, open: undefined });
      }
    }
    expect(await ending(deliver(files.executor, moveTask(`${near}/a`, `${near}/a2`)))).toBe('SUCCESS');
  });

  it('has one effect when many deliveries run at once; the others are busy or get the same answer', { tags: ['FE-37'] }, async () => {
    const { near, far } = await files.room();
    const task = moveTask(await put(near, 'a', 'one'), `${far}/a`);
    const second = await files.rig.executor();
    const ends = await Promise.all(
      Array.from({ length: 10 }, (_, index) => ending(deliver(index % 2 ? files.executor : second, { ...task, epoch: index + 1 }))),
    );
    expect(ends.filter((end) => end !== 'busy' && end !== 'SUCCESS')).toEqual([]);
    expect(await ending(deliver(files.executor, { ...task, epoch: 20 }))).toBe('SUCCESS');
    expect([await contents(near), await contents(far)]).toEqual([{}, { a: 'one' }]);
    expect((await files.rig.journal.view(task.manifest.task_id)).attempts).toBe(1);
    await second.stop();
  });

  it('never answers FAILURE for the shadow of an effect that another run has just had', async () => {
    const { near } = await files.room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    // A second worker recalled the task as unknown, and comes to execute it after the first one has finished.
    const second = await files.rig.executor();
    expect(await second.memory.recall(task.manifest.task_id)).toEqual({ kind: 'unknown' });
    expect(await ending(deliver(files.executor, task))).toBe('SUCCESS');
    expect(await second.execute({ ...task, epoch: 2 }, context())).toMatchObject({ kind: 'busy' });
    await second.stop();
  });
});

describe('a look that came too early', () => {
  it('is repeated before a FAILURE is answered: the destination may stand because the task was done', async () => {
    const { near } = await files.room();
    const task = copyTask(await put(near, 'a', 'one'), `${near}/b`);
    const { journal } = files.rig;
    let early = await journal.view(task.manifest.task_id);
    expect(await ending(deliver(files.executor, task))).toBe('SUCCESS');
    const late = await files.rig.executor({
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

describe('a move, which asks the journal no earlier than with its intent', () => {
  it('is busy when the task was done meanwhile and its files are as they were', async () => {
    const { near } = await files.room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    expect(await ending(deliver(files.executor, task))).toBe('SUCCESS');
    await rename(`${near}/b`, `${near}/a`);
    const second = await files.rig.executor();
    expect(await second.execute({ ...task, epoch: 2 }, context())).toMatchObject({ kind: 'busy' });
    // Neither does it hear what the gate says of a task that is somebody else's by now.
    const closed = context({ gate: () => ({ kind: 'outcome', outcome: failure('LEASE_EXPIRED', 'too late') }) });
    expect(await second.execute({ ...task, epoch: 3 }, closed)).toMatchObject({ kind: 'busy' });
    expect(await contents(near)).toEqual({ a: 'one' });
    await second.stop();
  });
});

describe('an outcome that was not recorded', () => {
  it('is given again, not worked out again, while its attempt is open in this process', async () => {
    const { near } = await files.room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    const first = await files.executor.execute(task, context());
    expect(first).toMatchObject({ kind: 'outcome', outcome: { status: 'SUCCESS' } });
    // The signing failed, say: nothing was concluded. The next delivery recalls an open attempt.
    expect(await files.executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'open' });
    const second = { ...task, epoch: 2 };
    expect(await files.executor.memory.recover(second, context(), { mayRedo: true })).toEqual(first);
    await Promise.all([files.executor.memory.conclude(task, 'SUCCESS', 'signed'), files.executor.memory.conclude(second, 'SUCCESS', 'signed')]);
    expect(await files.executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'finished', result: 'signed' });
  });

  it('is not touched by the conclusion of a claim that never had it', async () => {
    const { near } = await files.room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
    await files.executor.execute(task, context());
    await files.executor.memory.conclude({ ...task, epoch: 7 }, 'FAILURE', 'of another claim');
    expect(await files.executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'open' });
    await expect(files.executor.memory.conclude(task, 'FAILURE', 'contradiction')).rejects.toSatisfy(isWritError);
    await files.executor.memory.conclude(task, 'SUCCESS', 'signed');
    await files.executor.memory.conclude(task, 'SUCCESS', 'signed');
    expect(await files.executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'finished', result: 'signed' });
  });

  it('can be concluded again after the journal refused once', async () => {
    const { near } = await files.room();
    let refuse = true;
    const { journal } = files.rig;
    const moody = await files.rig.executor({
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
    expect(await files.executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'finished' });
    await moody.stop();
  });

  it('lists successes for a lost ledger', async () => {
    const listed = await files.executor.memory.successes(undefined, 1000);
    expect(listed.length).toBeGreaterThan(5);
    expect(listed.map(({ taskId }) => taskId)).toEqual(listed.map(({ taskId }) => taskId).sort());
    expect((await files.executor.memory.successes(listed[0]?.taskId, 2))[0]).toEqual(listed[1]);
  });
});
