import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { contents, copyTask, deleteTask, deliver, ending, moveTask, put } from '../../support/file-executor.ts';
import { useFileRig } from './fixture.ts';

const files = useFileRig();

type Delivered = Awaited<ReturnType<typeof deliver>>;
function recoveryOf(end: Delivered): string {
  return (end.kind === 'outcome' && /"recovery_path":"([^"]+)"/.exec(end.text)?.[1]) || '';
}

describe('undo of a move', () => {
  it('restores the original location, byte for byte', { tags: ['FE-28'] }, async () => {
    const { near } = await files.room();
    const source = await put(near, 'a', 'bytes');
    const move = moveTask(source, `${near}/b`);
    await deliver(files.executor, move);
    expect(await ending(deliver(files.executor, moveTask(`${near}/b`, source, { undoOf: move.manifest.task_id })))).toBe('SUCCESS');
    expect(await contents(near)).toEqual({ a: 'bytes' });
  });

  it('works across file systems', async () => {
    const { near, far } = await files.room();
    const source = await put(near, 'a', 'bytes');
    const move = moveTask(source, `${far}/b`);
    await deliver(files.executor, move);
    expect(await ending(deliver(files.executor, moveTask(`${far}/b`, source, { undoOf: move.manifest.task_id })))).toBe('SUCCESS');
    expect([await contents(near), await contents(far)]).toEqual([{ a: 'bytes' }, {}]);
  });

  it('takes the first task back again after undo and redo across file systems, where each way makes a new file', async () => {
    const { near, far } = await files.room();
    const source = await put(near, 'a', 'bytes');
    const move = moveTask(source, `${far}/b`);
    const undo = moveTask(`${far}/b`, source, { undoOf: move.manifest.task_id });
    const redo = moveTask(source, `${far}/b`, { undoOf: undo.manifest.task_id });
    const again = moveTask(`${far}/b`, source, { undoOf: move.manifest.task_id });
    for (const task of [move, undo, redo, again]) expect(await ending(deliver(files.executor, task))).toBe('SUCCESS');
    expect([await contents(near), await contents(far)]).toEqual([{ a: 'bytes' }, {}]);
  });
});

describe('undo of a delete', () => {
  it('brings the very bytes back, whatever happened beside them', { tags: ['FE-36'] }, async () => {
    const { near } = await files.room();
    const source = await put(near, 'a', '\u0000binary\uffff');
    const remove = deleteTask(source);
    const end = await deliver(files.executor, remove);
    expect(await ending(deliver(files.executor, moveTask(recoveryOf(end), source, { undoOf: remove.manifest.task_id })))).toBe('SUCCESS');
    expect(await readFile(source, 'utf8')).toBe('\u0000binary\uffff');
  });

  it('goes back and forth: undo, undo of the undo, undo again', async () => {
    const { near } = await files.room();
    const source = await put(near, 'a', 'bytes');
    const first = deleteTask(source);
    const place = recoveryOf(await deliver(files.executor, first));
    const back = (undoOf: string): ReturnType<typeof moveTask> => moveTask(place, source, { undoOf });
    const undo = back(first.manifest.task_id);
    expect(await ending(deliver(files.executor, undo))).toBe('SUCCESS');
    const redo = deleteTask(source, { undoOf: undo.manifest.task_id });
    const redone = await deliver(files.executor, redo);
    // The undo of an undone delete puts the file into the same place.
    expect(recoveryOf(redone)).toBe(place);
    expect(await contents(near)).toEqual({});
    // The delete stands again, so it can be undone again; or its redo can, but not both.
    expect(await ending(deliver(files.executor, back(first.manifest.task_id)))).toBe('SUCCESS');
    expect(await contents(near)).toEqual({ a: 'bytes' });
    expect(await ending(deliver(files.executor, back(first.manifest.task_id)))).toMatch(/already undone/);
  });
});

describe('an undo that does not fit', () => {
  it('is refused: unknown task, failed task, another place, a copy, or done before', async () => {
    const { near } = await files.room();
    const source = await put(near, 'a', 'bytes');
    const move = moveTask(source, `${near}/b`);
    await deliver(files.executor, move);
    const copy = copyTask(`${near}/b`, `${near}/c`);
    await deliver(files.executor, copy);
    const failed = moveTask(`${near}/none`, `${near}/d`);
    await deliver(files.executor, failed);
    const id = move.manifest.task_id;
    const cases: Record<string, ReturnType<typeof moveTask>> = {
      'this host knows no such finished task': moveTask(`${near}/b`, source, { undoOf: 'nobody' }),
      'knows no such finished': moveTask(`${near}/b`, source, { undoOf: failed.manifest.task_id }),
      'a copy has no undo': moveTask(`${near}/c`, source, { undoOf: copy.manifest.task_id }),
      'the destination is not where': moveTask(`${near}/b`, `${near}/elsewhere`, { undoOf: id }),
      'the source is not where': moveTask(`${near}/c`, source, { undoOf: id }),
      'not where the task took the file from': deleteTask(`${near}/b`, { undoOf: id }),
    };
    for (const [words, task] of Object.entries(cases))
      expect(await ending(deliver(files.executor, task))).toMatch(new RegExp(`^EXECUTION_FAILED: undo: .*${words}`));
    expect(await contents(near)).toEqual({ b: 'bytes', c: 'bytes' });

    expect(await ending(deliver(files.executor, moveTask(`${near}/b`, source, { undoOf: id })))).toBe('SUCCESS');
    await deliver(files.executor, moveTask(source, `${near}/b`));
    expect(await ending(deliver(files.executor, moveTask(`${near}/b`, source, { undoOf: id })))).toBe('EXECUTION_FAILED: undo: already undone');
  });

  it('is refused when the file is another one, or was changed since', async () => {
    const { near } = await files.room();
    for (const change of [
      () => appendFile(`${near}/b`, ' more'),
      () => deliver(files.executor, moveTask(`${near}/b`, `${near}/gone`)).then(() => writeFile(`${near}/b`, 'bytes')),
    ]) {
      const { near: own } = await files.room();
      const source = await put(near, `a-${own.length}`, 'bytes');
      const move = moveTask(source, `${near}/b`);
      expect(await ending(deliver(files.executor, move))).toBe('SUCCESS');
      await change();
      expect(await ending(deliver(files.executor, moveTask(`${near}/b`, source, { undoOf: move.manifest.task_id })))).toMatch(
        /^EXECUTION_FAILED: undo: changed since/,
      );
      await deliver(files.executor, moveTask(`${near}/b`, `${near}/away`));
    }
  });

  it('cannot be used to take a file out of the vault in any other way', async () => {
    const { near } = await files.room();
    const [a, b] = [await put(near, 'a', 'one'), await put(near, 'b', 'two')];
    const [removeA, removeB] = [deleteTask(a), deleteTask(b)];
    const [placeA, placeB] = [recoveryOf(await deliver(files.executor, removeA)), recoveryOf(await deliver(files.executor, removeB))];
    const illegal = [
      moveTask(placeA, a),
      moveTask(placeA, `${near}/c`, { undoOf: removeA.manifest.task_id }),
      moveTask(placeB, a, { undoOf: removeA.manifest.task_id }),
      copyTask(placeA, a, { undoOf: removeA.manifest.task_id }),
      moveTask(placeA, placeB, { undoOf: removeA.manifest.task_id }),
      deleteTask(placeA, { undoOf: removeA.manifest.task_id }),
    ];
    for (const task of illegal) expect(await ending(deliver(files.executor, task))).toMatch(/^EXECUTION_FAILED: /);
    expect(await contents(near)).toEqual({});
    expect([await readFile(placeA, 'utf8'), await readFile(placeB, 'utf8')]).toEqual(['one', 'two']);
  });

  it('leaves the way back blocked when somebody took the original place', async () => {
    const { near } = await files.room();
    const source = await put(near, 'a', 'one');
    const remove = deleteTask(source);
    const place = recoveryOf(await deliver(files.executor, remove));
    await writeFile(source, 'somebody else');
    expect(await ending(deliver(files.executor, moveTask(place, source, { undoOf: remove.manifest.task_id })))).toBe(
      'EXECUTION_FAILED: the destination exists',
    );
    expect([await readFile(place, 'utf8'), await readFile(source, 'utf8')]).toEqual(['one', 'somebody else']);
  });
});
