import { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../../src/executors/file/index.ts';
import { contents, copyTask, createFileRig, deleteTask, deliver, ending, type FileRig, moveTask, put } from '../../support/file-executor.ts';
import { type Fault, withFaults, withoutNoReplace } from './faults.ts';

/** Somebody changes files under the executor's feet, exactly at a point, and the answer must stay true. */
let rig: FileRig;
let made = 0;
beforeAll(async () => {
  rig = await createFileRig();
});
afterAll(() => rig.close());

async function room(): Promise<{ near: string; far: string }> {
  made += 1;
  const names = { near: `${rig.near}/race-${made}`, far: `${rig.far}/race-${made}` };
  for (const directory of Object.values(names)) await mkdir(`${directory}/to`, { recursive: true });
  return names;
}

/** Runs one task while `deed` happens right after `point`. */
async function runWith(task: Parameters<typeof deliver>[1], point: CrashPoint, deed: () => void, fault?: Fault): Promise<string> {
  const executor = await rig.executor({
    ...(fault ? { fileSystem: withFaults(rig.fileSystem, fault) } : {}),
    onPoint: (passed) => {
      if (passed === point) deed();
    },
  });
  const end = await ending(deliver(executor, task));
  await executor.stop();
  return end;
}

const incidentsOf = async (task: Parameters<typeof deliver>[1]): Promise<number> =>
  (await rig.journal.incidents(1000)).filter(({ taskId }) => taskId === task.manifest.task_id).length;

describe('a directory that is swapped for a symbolic link', () => {
  it('never sends a file outside: what was moved is taken back', { tags: ['FE-22'] }, async () => {
    for (const without of [undefined, withoutNoReplace]) {
      const { near } = await room();
      const outside = `${rig.directory}/outside-${made}`;
      mkdirSync(outside);
      const source = await put(near, 'a', 'one');
      const task = moveTask(source, `${near}/to/b`);
      const end = await runWith(
        task,
        'intent',
        () => {
          renameSync(`${near}/to`, `${near}/was-to`);
          symlinkSync(outside, `${near}/to`);
        },
        without,
      );
      expect(end).toBe('EXECUTION_FAILED: a directory was moved away during the operation; it was taken back');
      expect(await contents(outside)).toEqual({});
      expect(readFileSync(source, 'utf8')).toBe('one');
      expect(await incidentsOf(task)).toBe(0);
    }
  });

  it('never reads through it either: the copy is taken back', { tags: ['FE-22'] }, async () => {
    const { near } = await room();
    const outside = `${rig.directory}/outside-${made}`;
    mkdirSync(outside);
    writeFileSync(`${outside}/a`, 'secret');
    await put(near, 'from/a', 'one');
    const end = await runWith(copyTask(`${near}/from/a`, `${near}/to/b`), 'sealed', () => {
      renameSync(`${near}/from`, `${near}/was-from`);
      symlinkSync(outside, `${near}/from`);
    });
    expect(end).toBe('EXECUTION_FAILED: a directory was moved away during the operation; it was taken back');
    expect(await contents(near)).toEqual({ 'was-from/a': 'one' });
  });

  it('refuses when the swap came before the look', { tags: ['FE-22'] }, async () => {
    const { near } = await room();
    symlinkSync(rig.directory, `${near}/link`);
    const executor = await rig.executor();
    expect(await ending(deliver(executor, moveTask(await put(near, 'a'), `${near}/link/b`)))).toMatch(/symbolic link/);
    await executor.stop();
  });
});

describe('a directory that is moved out of its base', () => {
  it('is noticed after the rename, and the file comes back', { tags: ['FE-12'] }, async () => {
    const { near } = await room();
    const source = await put(near, 'a', 'one');
    const outside = `${rig.directory}/gone-${made}`;
    const end = await runWith(moveTask(source, `${near}/to/b`), 'intent', () => renameSync(`${near}/to`, outside));
    expect(end).toMatch(/^EXECUTION_FAILED: a directory was moved away.*taken back$/);
    expect(await contents(outside)).toEqual({});
    expect(readFileSync(source, 'utf8')).toBe('one');
  });

  it('keeps the file and opens an incident when the way back is taken', async () => {
    const { near } = await room();
    const source = await put(near, 'a', 'one');
    const outside = `${rig.directory}/gone-${made}`;
    const task = moveTask(source, `${near}/to/b`);
    const end = await runWith(task, 'M1', () => {
      renameSync(`${near}/to`, outside);
      writeFileSync(source, 'somebody else');
    });
    expect(end).toMatch(/^EXECUTION_FAILED: a directory was moved away.*could not be taken back$/);
    expect(await contents(outside)).toEqual({ b: 'one' });
    expect(readFileSync(source, 'utf8')).toBe('somebody else');
    expect(await incidentsOf(task)).toBe(1);
  });
});

describe('a source that is swapped between look and rename', () => {
  it('gives a directory back that was moved in its place', async () => {
    const { near } = await room();
    const source = await put(near, 'a', 'one');
    await put(near, 'dir/inside', 'two');
    const swap = (): void => {
      renameSync(source, `${near}/kept`);
      renameSync(`${near}/dir`, source);
    };
    expect(await runWith(moveTask(source, `${near}/to/b`), 'intent', swap)).toBe(
      'EXECUTION_FAILED: the file was exchanged during the operation; it was taken back',
    );
    expect(await contents(near)).toEqual({ 'a/inside': 'two', kept: 'one' });
  });

  it('gives another file back, also out of the vault and by link', async () => {
    for (const without of [undefined, withoutNoReplace]) {
      for (const target of ['vault', 'place']) {
        const { near } = await room();
        const source = await put(near, 'a', 'one');
        await put(near, 'other', 'two');
        const swap = (): void => {
          renameSync(source, `${near}/kept`);
          renameSync(`${near}/other`, source);
        };
        const task = target === 'vault' ? deleteTask(source) : moveTask(source, `${near}/to/b`);
        expect(await runWith(task, 'intent', swap, without)).toBe('EXECUTION_FAILED: the file was exchanged during the operation; it was taken back');
        expect(await contents(near)).toEqual({ a: 'two', kept: 'one' });
      }
    }
  });

  it('never retires a source that was not copied', async () => {
    const { near, far } = await room();
    const source = await put(near, 'a', 'one');
    const swap = (): void => {
      renameSync(source, `${near}/kept`);
      writeFileSync(source, 'two');
    };
    const early = moveTask(source, `${far}/b`);
    expect(await runWith(early, 'published', swap)).toBe('EXECUTION_FAILED: the source changed during the move; the copy was withdrawn');
    expect(await contents(near)).toEqual({ a: 'two', kept: 'one' });
    expect(await contents(far)).toEqual({});
    expect(await incidentsOf(early)).toBe(1);

    unlinkSync(`${near}/kept`);
    // Between the last look and the rename: the wrong file goes into the vault, and comes back.
    expect(await runWith(moveTask(source, `${far}/c`), 'X6', swap)).toBe(
      'EXECUTION_FAILED: the file was exchanged during the operation; the copy was withdrawn',
    );
    expect(await contents(near)).toEqual({ a: 'two', kept: 'two' });
    expect(await contents(far)).toEqual({});
  });

  it('keeps the copy when the source disappeared during a move: it is the only one', async () => {
    const { near, far } = await room();
    const source = await put(near, 'a', 'one');
    const task = moveTask(source, `${far}/b`);
    expect(await runWith(task, 'published', () => unlinkSync(source))).toBe('EXECUTION_FAILED: the source disappeared during the move; the copy stays');
    expect(await contents(far)).toEqual({ b: 'one' });
    expect(await incidentsOf(task)).toBe(1);
  });
});

describe('a file that is taken from its destination at once', () => {
  it('is an incident: nobody can tell any more what was moved', async () => {
    const { near } = await room();
    const task = moveTask(await put(near, 'a', 'one'), `${near}/to/b`);
    expect(await runWith(task, 'M1', () => renameSync(`${near}/to/b`, `${near}/taken`))).toMatch(
      /^EXECUTION_FAILED: the file was exchanged.*could not be taken back$/,
    );
    expect(await contents(near)).toEqual({ taken: 'one' });
    expect(await incidentsOf(task)).toBe(1);
  });
});

describe('errors of the file system', () => {
  it('answers EXECUTION_FAILED and leaves everything as it was, at every step of every method', { tags: ['FE-43'] }, async () => {
    const { near, far } = await room();
    const steps = ['renameNoReplace', 'sync', 'createFile', 'openFile', 'copyTo', 'setAttributes', 'syncFile'] as const;
    for (const step of steps) {
      let armed = false;
      const fileSystem = withFaults(rig.fileSystem, (operation) => (armed && operation === step ? 'io' : undefined));
      const executor = await rig.executor({
        fileSystem,
        onPoint: (point) => {
          if (point === 'taken-back') armed = false;
        },
      });
      armed = true;
      const ends: string[] = [];
      for (const task of [
        moveTask(await put(near, 'a', 'one'), `${near}/to/b`),
        moveTask(`${near}/a`, `${far}/b`),
        copyTask(`${near}/a`, `${near}/to/c`),
        deleteTask(`${near}/a`),
      ]) {
        // A way back needs a rename too.
        armed = true;
        ends.push(await ending(deliver(executor, task)));
      }
      armed = false;
      for (const end of ends) expect(`${step}: ${end}`).toMatch(/EXECUTION_FAILED|SUCCESS/);
      expect(ends.some((end) => end.startsWith('EXECUTION_FAILED'))).toBe(true);
      // Whatever succeeded or failed: the bytes are there, and nothing of ours is left over.
      const all = {
        ...(await contents(near)),
        ...(await contents(far)),
        ...(await contents(`${rig.near}/.writ-vault`)),
        ...(await contents(`${rig.far}/.writ-vault`)),
      };
      expect(Object.values(all)).toContain('one');
      expect(Object.keys(all).filter((name) => name.includes('.writ-tmp-'))).toEqual([]);
      await executor.stop();
      for (const name of Object.keys(await contents(near))) unlinkSync(`${near}/${name}`);
      for (const name of Object.keys(await contents(far))) unlinkSync(`${far}/${name}`);
    }
  });

  it('takes a rename back that cannot be made durable', async () => {
    const { near } = await room();
    const source = await put(near, 'a', 'one');
    let armed = false;
    const executor = await rig.executor({
      fileSystem: withFaults(rig.fileSystem, (operation) => (armed && operation === 'sync' ? 'io' : undefined)),
      onPoint: (point) => {
        armed = point === 'M1';
      },
    });
    expect(await ending(deliver(executor, moveTask(source, `${near}/to/b`)))).toBe(
      'EXECUTION_FAILED: the operation could not be made durable (EIO); it was taken back',
    );
    expect(await contents(near)).toEqual({ a: 'one' });
    await executor.stop();
  });
});
