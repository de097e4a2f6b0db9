import { appendFileSync, linkSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FsRefusal, Task, VaultEntry } from '../../../src/core/ports/index.ts';
import type { CrashPoint, FileExecutor } from '../../../src/executors/file/index.ts';
import type { RecoveryDecision } from '../../../src/executors/file/options.ts';
import { contents, deliver, ending, moveTask, put, SimulatedCrash } from '../../support/file-executor.ts';
import { type Fault, withFaults, withoutNoReplace } from './faults.ts';
import { useFileRig } from './fixture.ts';

const files = useFileRig();

/** Nothing may be retired: the source stays where it is, however well it looked before. */
const staying =
  (refusal: FsRefusal = 'permission', without?: Fault): Fault =>
  (operation, name, toName) =>
    ['renameNoReplace', 'link'].includes(operation) && toName.startsWith('r-') ? refusal : without?.(operation, name, toName);

interface Rig {
  readonly executor: FileExecutor;
  readonly decisions: RecoveryDecision[];
}

async function withFault(fault: Fault | undefined, onPoint: (point: CrashPoint) => void = () => undefined): Promise<Rig> {
  const decisions: RecoveryDecision[] = [];
  const { fileSystem } = files.rig;
  const executor = await files.rig.executor({
    ...(fault ? { fileSystem: withFaults(fileSystem, fault) } : {}),
    onPoint,
    onRecovery: (decision) => decisions.push(decision),
  });
  return { executor, decisions };
}

const inVaults = (): string[] => [files.rig.near, files.rig.far].flatMap((base) => readdirSync(`${base}/.writ-vault`)).filter((name) => name !== '.writ-mark');
const bookedOf = async ({ manifest }: Task): Promise<readonly VaultEntry[]> =>
  (await files.rig.journal.vaultEntries({}, undefined, 1000)).filter(({ taskId }) => taskId === manifest.task_id);
const openIncidentsOf = async ({ manifest }: Task): Promise<number> =>
  (await files.rig.journal.openIncidents(1000)).filter(({ taskId }) => taskId === manifest.task_id).length;

describe('a move to another file system whose source stays after all', () => {
  it.each([
    ['permission', 'the source may not be taken from its directory by this worker'],
    ['read-only', 'the source lies on a read-only file system'],
    ['exists', 'the place in the vault exists'],
    ['io', 'the source could not be read or written (EIO)'],
  ] as const)('leaves nothing of its copy (%s), however often it is tried, and is an ordinary failure', { tags: ['FE-43'] }, async (refusal, why) => {
    for (const without of [undefined, withoutNoReplace]) {
      const { near, far } = await files.room();
      const source = await put(near, 'a', 'one');
      const before = inVaults();
      const { executor, decisions } = await withFault(staying(refusal, without));
      const task = moveTask(source, `${far}/b`);
      for (const _ of [1, 2, 3]) expect(await ending(deliver(executor, task))).toBe(`EXECUTION_FAILED: ${why}; the copy was taken back`);
      expect([await contents(near), await contents(far)]).toEqual([{ a: 'one' }, {}]);
      expect([inVaults(), await bookedOf(task), decisions]).toEqual([before, [], []]);
      expect(await files.rig.journal.view(task.manifest.task_id)).toMatchObject({ attempts: 3, doubtful: undefined });
      // The cause is mended: the same delivery, under the same lease, runs.
      expect(await ending(deliver(files.executor, task))).toBe('SUCCESS');
      await executor.stop();
    }
  });

  it.each([
    ['longer', (copy: string) => appendFileSync(copy, ' more')],
    [
      'of the same length and time',
      (copy: string) => {
        const { atimeMs, mtimeMs } = statSync(copy);
        writeFileSync(copy, 'two');
        utimesSync(copy, atimeMs / 1000, mtimeMs / 1000);
      },
    ],
    ['known by another name', (copy: string) => linkSync(copy, `${copy}-too`)],
  ])('keeps a copy that somebody has made %s, in the books of the vault and as an open incident', async (_, meddle) => {
    const { near, far } = await files.room();
    const source = await put(near, 'a', 'one');
    utimesSync(source, 1_000_000_000, 1_000_000_000);
    const { executor, decisions } = await withFault(staying(), (point) => {
      if (point === 'X6') meddle(`${far}/b`);
    });
    const task = moveTask(source, `${far}/b`);
    expect(await ending(deliver(executor, task))).toBe(
      'EXECUTION_FAILED: the source may not be taken from its directory by this worker; the copy was withdrawn',
    );
    expect(await contents(near)).toEqual({ a: 'one' });
    const [entry, ...more] = await bookedOf(task);
    expect([entry, more]).toMatchObject([{ base: 'far', name: expect.stringMatching(/^w-/), bytes: 3, original: { base: 'far' } }, []]);
    expect(inVaults()).toContain(entry?.name);
    expect([await openIncidentsOf(task), decisions]).toEqual([1, ['incident']]);
    expect(await files.rig.journal.view(task.manifest.task_id)).toMatchObject({ doubtful: { jti: task.authority.jti } });
    // Somebody has looked, and tries again under a new lease.
    expect(await ending(deliver(files.executor, { ...task, authority: { ...task.authority, jti: 'another' } }))).toBe('SUCCESS');
    expect(await openIncidentsOf(task)).toBe(0);
    expect((await bookedOf(task)).map(({ name }) => name.slice(0, 2)).sort()).toEqual(['r-', 'w-']);
    await executor.stop();
  });

  it('keeps its copy where the source cannot be made durable, or the copy not be removed', async () => {
    for (const fails of ['sync', 'unlink'] as const) {
      const { near, far } = await files.room();
      const source = await put(near, 'a', 'one');
      let armed = false;
      const fault: Fault = (operation, name, toName) => (armed && operation === fails ? 'io' : staying()(operation, name, toName));
      const { executor } = await withFault(fault, (point) => {
        if (point === (fails === 'sync' ? 'X6' : 'withdrawn')) armed = true;
      });
      const task = moveTask(source, `${far}/b`);
      expect(await ending(deliver(executor, task))).toMatch(/; the copy was withdrawn(, and that could not be made durable \(EIO\))?$/);
      expect([await contents(near), await contents(far), (await bookedOf(task)).length]).toEqual([{ a: 'one' }, {}, 1]);
      armed = false;
      await executor.stop();
    }
  });

  it('is given back as it is when the worker has to stop, and ended by the next one', async () => {
    const { near, far } = await files.room();
    const source = await put(near, 'a', 'one');
    const task = moveTask(source, `${far}/b`);
    const stop = new AbortController();
    const { executor } = await withFault(staying(), (point) => {
      if (point === 'withdrawn') stop.abort('shutdown');
    });
    expect(await ending(deliver(executor, task, { context: { signal: stop.signal, gate: () => undefined } }))).toBe('interrupted');
    expect(await files.rig.journal.view(task.manifest.task_id)).toMatchObject({ open: { stage: 'published' } });
    expect(await ending(deliver(files.executor, task))).toBe(`EXECUTION_FAILED: ${GIVEN_UP}; the copy was taken back`);
    expect([await contents(near), await contents(far), await bookedOf(task)]).toEqual([{ a: 'one' }, {}, []]);
    await executor.stop();
  });
});

const GIVEN_UP = 'the source could not be moved into the vault of its base';

describe('a withdrawal that crashes', () => {
  const crashing = (at: CrashPoint) => (point: CrashPoint) => {
    if (point === at) throw new SimulatedCrash();
  };

  it('is finished where the copy lies in the vault, and nothing is left', { tags: ['FE-24'] }, async () => {
    const { near, far } = await files.room();
    const task = moveTask(await put(near, 'a', 'one'), `${far}/b`);
    const before = inVaults();
    const { executor } = await withFault(staying(), crashing('withdrawn'));
    await expect(deliver(executor, task)).rejects.toThrow(SimulatedCrash);
    const { executor: next, decisions } = await withFault(undefined);
    expect(await ending(deliver(next, task))).toBe(`EXECUTION_FAILED: ${GIVEN_UP}; the copy was taken back`);
    expect([await contents(near), await contents(far), inVaults(), decisions]).toEqual([{ a: 'one' }, {}, before, ['withdraw']]);
    expect(await ending(deliver(next, task))).toBe('SUCCESS');
    await Promise.all([executor.stop(), next.stop()]);
  });

  it('is finished between the two halves of a move by link: the source is not retired', { tags: ['FE-24'] }, async () => {
    const { near, far } = await files.room();
    const task = moveTask(await put(near, 'a', 'one'), `${far}/b`);
    const before = inVaults();
    const dying: Fault = (operation, name, toName) => {
      if (operation === 'unlink' && name === 'b') throw new SimulatedCrash();
      return staying('permission', withoutNoReplace)(operation, name, toName);
    };
    const { executor } = await withFault(dying);
    await expect(deliver(executor, task)).rejects.toThrow(SimulatedCrash);
    const { executor: next } = await withFault(withoutNoReplace);
    expect(await ending(deliver(next, task))).toBe(`EXECUTION_FAILED: ${GIVEN_UP}; the copy was taken back`);
    expect([await contents(near), await contents(far), inVaults()]).toEqual([{ a: 'one' }, {}, before]);
    await Promise.all([executor.stop(), next.stop()]);
  });

  it('is an unknown outcome when the copy was just removed: others may have taken it', { tags: ['FE-24'] }, async () => {
    const { near, far } = await files.room();
    const task = moveTask(await put(near, 'a', 'one'), `${far}/b`);
    const { executor } = await withFault(staying(), crashing('taken-back'));
    await expect(deliver(executor, task)).rejects.toThrow(SimulatedCrash);
    expect(await ending(deliver(files.executor, task))).toMatch(/^EXECUTION_FAILED: outcome unknown/);
    expect([await contents(near), await contents(far), await openIncidentsOf(task)]).toEqual([{ a: 'one' }, {}, 1]);
    await executor.stop();
  });
});
