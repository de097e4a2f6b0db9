import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../../src/core/ports/index.ts';
import { forkScript, forkScriptAsNobody } from '../../support/compiled/script.ts';
import { contents, copyTask, createFileRig, deleteTask, deliver, ending, type FileRig, moveTask, put } from '../../support/file-executor.ts';
import { NOBODY } from '../../support/nobody.ts';
import type { ChildOrder } from './child.ts';

let rig: FileRig;
beforeAll(async () => {
  rig = await createFileRig();
});
afterAll(() => rig.close());

const basesOf = (of: FileRig): ChildOrder['bases'] => [
  { id: 'near', path: of.near },
  { id: 'next', path: of.next },
  { id: 'far', path: of.far },
];

const CHILD = new URL('./child.ts', import.meta.url);
const start = (order: ChildOrder): ChildProcess => forkScript(CHILD, [JSON.stringify(order)]);
const startAsNobody = (order: ChildOrder): ChildProcess => forkScriptAsNobody(CHILD, [JSON.stringify(order)]);

async function answerOf(child: ChildProcess): Promise<string[]> {
  const ends: string[] = [];
  child.on('message', (message: { ends?: string[] }) => ends.push(...(message.ends ?? [])));
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  return ends;
}

describe('a worker that is killed with kill -9', () => {
  const MOMENTS = ['M1', 'C4', 'X7'] as const;
  it('leaves an effect that the next worker finishes: never both names, never neither', { tags: ['FE-24', 'FE-36'] }, async () => {
    await Promise.all(
      MOMENTS.map(async (at) => {
        const source = await put(rig.near, `kill-${at}/a`, 'one');
        for (const base of [rig.next, rig.far]) await mkdir(`${base}/kill-${at}`);
        const task = at === 'M1' ? deleteTask(source) : moveTask(source, `${rig.far}/kill-${at}/b`);
        const child = start({ directory: rig.directory, bases: basesOf(rig), tasks: [task], at, signal: 'SIGKILL' });
        expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);

        const executor = await rig.executor();
        expect(await ending(deliver(executor, { ...task, epoch: 2 }))).toBe('SUCCESS');
        const visible = [await contents(`${rig.near}/kill-${at}`), await contents(`${rig.far}/kill-${at}`)];
        expect(visible).toEqual(at === 'M1' ? [{}, {}] : [{}, { b: 'one' }]);
        const { success } = await rig.journal.view(task.manifest.task_id);
        if (at === 'M1') expect(await readFile(`${rig.near}/${success?.destination.segments.join('/')}`, 'utf8')).toBe('one');
      }),
    );
  });
});

describe('a worker that is stopped between intent and effect', () => {
  it('is killed before anybody touches its intent, so that the effect happens once, also after an undo', async () => {
    const source = await put(rig.near, 'zombie/a', 'one');
    const task = moveTask(source, `${rig.near}/zombie/b`);
    const child = start({ directory: rig.directory, bases: basesOf(rig), tasks: [task], at: 'intent', signal: 'SIGSTOP' });
    await once(child, 'message');
    await until(async () => (await rig.journal.view(task.manifest.task_id)).open !== undefined);
    const exited = once(child, 'exit');

    const executor = await rig.executor();
    expect(await ending(deliver(executor, { ...task, epoch: 2 }))).toBe('SUCCESS');
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(await ending(deliver(executor, moveTask(`${rig.near}/zombie/b`, source, { undoOf: task.manifest.task_id })))).toBe('SUCCESS');
    expect(await contents(`${rig.near}/zombie`)).toEqual({ a: 'one' });
  });

  async function until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
  }
});

describe('a worker without privileges', () => {
  it('needs these tests to run as root, who can make one', () => {
    expect(process.getuid?.(), 'run: sudo npm test').toBe(0);
  });

  it('answers EXECUTION_FAILED for what it may not do, and changes nothing', async () => {
    const own = await createFileRig();
    // Its own journal, lock files and bases; only single files and directories in them belong to somebody else.
    await own.journal.stop();
    await own.instances.stop();
    for (const directory of [own.directory, own.near, own.next, own.far, `${own.directory}/workers`]) await chown(directory, NOBODY, NOBODY);
    for (const suffix of ['', '-wal', '-shm']) await chown(`${own.directory}/journal.sqlite${suffix}`, NOBODY, NOBODY).catch(() => undefined);

    const mine = await put(own.near, 'mine', 'mine');
    await chown(mine, NOBODY, NOBODY);
    const foreign = await put(own.near, 'foreign', 'foreign');
    const secret = await put(own.near, 'secret', 'secret');
    await chmod(secret, 0o600);
    const locked = await put(own.near, 'locked/a', 'locked');
    await mkdir(`${own.near}/closed`, { mode: 0o700 });

    const cases: readonly (readonly [Task, RegExp])[] = [
      [moveTask(locked, `${own.near}/b`), /^EXECUTION_FAILED: .*may not be accessed/],
      [deleteTask(locked), /^EXECUTION_FAILED: .*may not be accessed/],
      [moveTask(mine, `${own.near}/locked/b`), /^EXECUTION_FAILED: .*may not be accessed/],
      [copyTask(mine, `${own.near}/locked/b`), /^EXECUTION_FAILED: .*may not be accessed/],
      [copyTask(mine, `${own.near}/closed/b`), /^EXECUTION_FAILED: .*may not be accessed/],
      [copyTask(secret, `${own.far}/secret`), /^EXECUTION_FAILED: the source may not be accessed/],
      // It may read the file, but not give the copy to its owner.
      [moveTask(foreign, `${own.far}/foreign`), /^EXECUTION_FAILED: mode, owner and times could not be kept/],
      [copyTask(foreign, `${own.far}/copy`), /^SUCCESS$/],
      [moveTask(mine, `${own.far}/mine`), /^SUCCESS$/],
      [moveTask(foreign, `${own.near}/foreign-2`), /^SUCCESS$/],
    ];
    const child = startAsNobody({ directory: own.directory, bases: basesOf(own), tasks: cases.map(([task]) => task) });
    const ends = await answerOf(child);
    expect(ends).toEqual(cases.map(([, words]) => expect.stringMatching(words)));
    const vault = `${own.near}/.writ-vault`;
    expect((await stat(vault)).uid).toBe(NOBODY);
    expect(await contents(own.far)).toEqual({ copy: 'foreign', mine: 'mine' });
    expect(await contents(own.near)).toMatchObject({ 'foreign-2': 'foreign', secret: 'secret', 'locked/a': 'locked' });
    await own.close();
  });

  it('cannot hard-link a foreign file where the kernel protects it, and says so', async () => {
    expect(await readFile('/proc/sys/fs/protected_hardlinks', 'utf8'), 'run: sysctl fs.protected_hardlinks=1').toBe('1\n');
    const own = await createFileRig();
    await own.journal.stop();
    await own.instances.stop();
    for (const directory of [own.directory, own.near, own.next, own.far, `${own.directory}/workers`]) await chown(directory, NOBODY, NOBODY);
    for (const suffix of ['', '-wal', '-shm']) await chown(`${own.directory}/journal.sqlite${suffix}`, NOBODY, NOBODY).catch(() => undefined);
    const foreign = await put(own.near, 'foreign', 'foreign');
    const child = startAsNobody({ directory: own.directory, bases: basesOf(own), tasks: [moveTask(foreign, `${own.near}/b`)], withoutNoReplace: true });
    expect(await answerOf(child)).toEqual([expect.stringMatching(/^EXECUTION_FAILED: .*may not be accessed/)]);
    expect(await contents(own.near)).toEqual({ foreign: 'foreign' });
    await own.close();
  });
});
