import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createReloadableFileExecutor, type FileExecutorOptions } from '../../../src/executors/file/index.ts';
import { context, copyTask, createFileRig, deliver, type FileRig } from '../../support/file-executor.ts';

let rig: FileRig;
beforeAll(async () => {
  rig = await createFileRig();
});
afterAll(() => rig.close());

const options = (changes: Partial<FileExecutorOptions> = {}): FileExecutorOptions => ({
  bases: [{ id: 'near', path: rig.near }],
  fileSystem: rig.fileSystem,
  journal: rig.journal,
  instances: rig.instances,
  limits: { maxRunMs: 60_000, maxBytes: 1000, hashMaxBytes: 1000, vaultQuotaBytes: 1000 },
  clock: systemClock,
  ...changes,
});
const source = (name: string, base = rig.near): string => {
  const file = path.join(base, name);
  writeFileSync(file, 'hello');
  return file;
};
const kindOf = (end: Awaited<ReturnType<typeof deliver>>) => (end.kind === 'outcome' ? end.outcome.status : end.kind);

describe('a file executor whose options are exchanged while it runs', () => {
  it('works in the new base directories from the commit on, and in none that was taken away', async () => {
    await using executor = createReloadableFileExecutor(options());
    await executor.start();
    const inNext = source('a', rig.next);
    const before = await deliver(executor, copyTask(inNext, `${inNext}-copy`));
    const { commit } = await executor.prepare(options({ bases: [{ id: 'next', path: rig.next }] }));
    expect([kindOf(before), executor.bases.states().map(({ id }) => id)]).toEqual(['FAILURE', ['near']]);
    commit();
    expect(executor.bases.states().map(({ id }) => id)).toEqual(['next']);
    const inNear = source('b');
    const ends = [await deliver(executor, copyTask(inNext, `${inNext}-copy`)), await deliver(executor, copyTask(inNear, `${inNear}-copy`))];
    expect([ends.map(kindOf), existsSync(`${inNext}-copy`), existsSync(`${inNear}-copy`)]).toEqual([['SUCCESS', 'FAILURE'], true, false]);
  });

  it('leaves a task in flight the options that it began under, and tells its second delivery that it runs', async () => {
    let reached: () => void = () => undefined;
    const inFlight = new Promise<void>((resolve) => {
      reached = resolve;
    });
    await using executor = createReloadableFileExecutor(options());
    await executor.start();
    const [first, second] = [source('c'), source('d')];
    const task = copyTask(first, `${first}-copy`);
    const { commit } = await executor.prepare(options({ limits: { maxRunMs: 1, maxBytes: 1, hashMaxBytes: 1, vaultQuotaBytes: 1 } }));
    let isCommitted = false;
    const gate = (): undefined => {
      // Asked before the intent, when everything was looked at and nothing is done yet, and after it.
      if (isCommitted) return;
      isCommitted = true;
      commit();
      reached();
    };
    const running = executor.execute(task, context({ gate }));
    // Asked in the same turn as the exchange: the task has not ended yet.
    const again = await inFlight.then(() => executor.execute({ ...task, epoch: 2 }, context()));
    const end = await running;
    expect([again.kind, end.kind === 'outcome' && end.outcome.status, executor.maxRunMs]).toEqual(['busy', 'SUCCESS', 1]);
    expect(existsSync(`${first}-copy`)).toBe(true);
    expect(kindOf(await deliver(executor, copyTask(second, `${second}-copy`)))).toBe('FAILURE');
  });

  it('changes nothing for a base directory that is not there, or when it is given back', async () => {
    await using executor = createReloadableFileExecutor(options());
    await executor.start();
    await expect(executor.prepare(options({ bases: [{ id: 'gone', path: path.join(rig.directory, 'gone') }] }))).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
    const { abandon } = await executor.prepare(options({ bases: [{ id: 'next', path: rig.next }] }));
    await abandon();
    const file = source('e');
    expect(kindOf(await deliver(executor, copyTask(file, `${file}-copy`)))).toBe('SUCCESS');
  });

  it('takes nothing up when it does not run, or stops meanwhile', async () => {
    const executor = createReloadableFileExecutor(options());
    await expect(executor.prepare(options())).rejects.toMatchObject({ code: 'WRONG_STATE' });
    await executor.start();
    const { commit } = await executor.prepare(options({ bases: [{ id: 'next', path: rig.next }] }));
    await executor.stop();
    commit();
    expect(executor.bases.states()).toEqual([]);
    await executor.stop();
  });
});
