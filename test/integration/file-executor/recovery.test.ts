import { appendFileSync, renameSync, symlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/hash.ts';
import { failure } from '../../../src/core/outcome.ts';
import type { ProcessIdentity, Task } from '../../../src/core/ports/index.ts';
import { CRASH_POINTS, type CrashPoint, type FileExecutor } from '../../../src/executors/file/index.ts';
import {
  contents,
  context,
  copyTask,
  createFileRig,
  deleteTask,
  deliver,
  ending,
  type FileRig,
  moveTask,
  put,
  SimulatedCrash,
} from '../../support/file-executor.ts';
import { type Fault, withFaults, withoutNoReplace } from './faults.ts';

let rig: FileRig;
let made = 0;
const crashAt = new Map<string, CrashPoint>();
const passed = new Map<string, CrashPoint[]>();
let crasher: FileExecutor;
let linkCrasher: FileExecutor;
let recoverer: FileExecutor;
let linkRecoverer: FileExecutor;

beforeAll(async () => {
  rig = await createFileRig({ near: '/dev/shm', far: tmpdir() });
  const onPoint = (point: CrashPoint, taskId: string): void => {
    passed.set(taskId, [...(passed.get(taskId) ?? []), point]);
    if (crashAt.get(taskId) === point) throw new SimulatedCrash(point);
  };
  const fileSystem = withFaults(rig.fileSystem, withoutNoReplace);
  [crasher, linkCrasher, recoverer, linkRecoverer] = await Promise.all([
    rig.executor({ onPoint }),
    rig.executor({ onPoint, fileSystem }),
    rig.executor(),
    rig.executor({ fileSystem }),
  ]);
});
afterAll(() => rig.close());

async function room(): Promise<{ near: string; next: string; far: string }> {
  made += 1;
  const names = { near: `${rig.near}/rec-${made}`, next: `${rig.next}/rec-${made}`, far: `${rig.far}/rec-${made}` };
  for (const directory of Object.values(names)) await mkdir(directory);
  return names;
}

type Room = Awaited<ReturnType<typeof room>>;
const WAYS: Record<string, { link: boolean; task: (room: Room, source: string) => Task; visible: (room: Room) => Promise<unknown>; ends: unknown }> = {
  'a move by rename': { link: false, task: (r, s) => moveTask(s, `${r.next}/b`), visible: (r) => both(r.near, r.next), ends: [{}, { b: 'one' }] },
  'a move by link': { link: true, task: (r, s) => moveTask(s, `${r.next}/b`), visible: (r) => both(r.near, r.next), ends: [{}, { b: 'one' }] },
  'a delete': { link: false, task: (_, s) => deleteTask(s), visible: (r) => both(r.near, r.next), ends: [{}, {}] },
  'a copy': { link: false, task: (r, s) => copyTask(s, `${r.far}/b`), visible: (r) => both(r.near, r.far), ends: [{ a: 'one' }, { b: 'one' }] },
  'a move across file systems': { link: false, task: (r, s) => moveTask(s, `${r.far}/b`), visible: (r) => both(r.near, r.far), ends: [{}, { b: 'one' }] },
  'a move across file systems without NOREPLACE': {
    link: true,
    task: (r, s) => moveTask(s, `${r.far}/b`),
    visible: (r) => both(r.near, r.far),
    ends: [{}, { b: 'one' }],
  },
};
const both = async (one: string, other: string): Promise<unknown> => [await contents(one), await contents(other)];

/** The points of an undisturbed run of each way, in order, and its answer; found out by running it. */
async function undisturbed(way: (typeof WAYS)[string]): Promise<{ points: CrashPoint[]; reference: string }> {
  const here = await room();
  const task = way.task(here, await put(here.near, 'a', 'one'));
  const end = await deliver(way.link ? linkCrasher : crasher, task);
  expect(end).toMatchObject({ outcome: { status: 'SUCCESS' } });
  return { points: passed.get(task.manifest.task_id) ?? [], reference: normalized(end, here, task) };
}

/** The points at which a recovery can crash after a run that has crashed at this one; found out by letting it go on to its end. */
async function pointsOfRecovery(way: (typeof WAYS)[string], point: CrashPoint, reference: string): Promise<readonly CrashPoint[]> {
  const here = await room();
  const task = way.task(here, await put(here.near, 'a', 'one'));
  const executor = way.link ? linkCrasher : crasher;
  crashAt.set(task.manifest.task_id, point);
  await expect(deliver(executor, task)).rejects.toThrow(SimulatedCrash);
  crashAt.delete(task.manifest.task_id);
  passed.delete(task.manifest.task_id);
  expect(normalized(await deliver(executor, { ...task, epoch: 2 }), here, task)).toBe(reference);
  expect([point, await way.visible(here)]).toEqual([point, way.ends]);
  return passed.get(task.manifest.task_id) ?? [];
}

/** An answer without what differs from room to room. */
function normalized(end: Awaited<ReturnType<typeof deliver>>, here: Room, { manifest: { task_id: id } }: Task): string {
  let text = end.kind === 'outcome' ? end.text : end.kind;
  for (const [name, directory] of Object.entries(here)) text = text.replaceAll(directory, `<${name}>`);
  const ids = [id, rig.near, rig.next, rig.far, sha256Hex(id).slice(0, 40)];
  for (const [index, word] of ids.entries()) text = text.replaceAll(word, `<${index}>`);
  return text;
}

describe('a recovery that crashes itself', () => {
  for (const [title, way] of Object.entries(WAYS)) {
    it(`finishes ${title} in the end, wherever run and recovery crash, with the answer of a run that did not`, async () => {
      const { points, reference } = await undisturbed(way);
      const [first, second] = way.link ? [linkCrasher, linkRecoverer] : [crasher, recoverer];
      for (const point of points) {
        for (const again of await pointsOfRecovery(way, point, reference)) {
          const here = await room();
          const task = way.task(here, await put(here.near, 'a', 'one'));
          crashAt.set(task.manifest.task_id, point);
          await expect(deliver(first, task)).rejects.toThrow(SimulatedCrash);
          crashAt.set(task.manifest.task_id, again);
          await expect(deliver(first, { ...task, epoch: 2 })).rejects.toThrow(SimulatedCrash);
          const end = await deliver(second, { ...task, epoch: 3 });
          expect([point, again, end.kind === 'outcome' && end.outcome.status, await way.visible(here)]).toEqual([point, again, 'SUCCESS', way.ends]);
          expect((await rig.journal.view(task.manifest.task_id)).attempts).toBe(1);
          expect(normalized(end, here, task)).toBe(reference);
        }
      }
    });
  }

  it('knows every crash point of the protocol', async () => {
    const seen = new Set((await Promise.all(Object.values(WAYS).map(undisturbed))).flatMap(({ points }) => points));
    expect(CRASH_POINTS.filter((point) => !seen.has(point))).toEqual(['taken-back', 'withdrawn']);
  });
});

describe('a way back that crashes', () => {
  it('ends without losing anything when the taking back was just done', async () => {
    const here = await room();
    const source = await put(here.near, 'a', 'one');
    await mkdir(`${here.near}/to`);
    const task = moveTask(source, `${here.near}/to/b`);
    const swapping = await rig.executor({
      onPoint: (point) => {
        if (point === 'intent') {
          renameSync(`${here.near}/to`, `${here.near}/was`);
          symlinkSync(rig.directory, `${here.near}/to`);
        }
        if (point === 'taken-back') throw new SimulatedCrash();
      },
    });
    await expect(deliver(swapping, task)).rejects.toThrow(SimulatedCrash);
    // The file stands again under its old name, but its inode was touched: a redo might be a second effect.
    expect(await ending(deliver(recoverer, task))).toBe('EXECUTION_FAILED: the source changed before the operation was done');
    expect(await contents(here.near)).toEqual({ a: 'one' });
    await swapping.stop();
  });

  it('ends with an incident when the withdrawal was just done', async () => {
    const here = await room();
    const source = await put(here.near, 'a', 'one');
    const task = moveTask(source, `${here.far}/b`);
    const writing = await rig.executor({
      onPoint: (point) => {
        if (point === 'published') appendFileSync(source, ' more');
        if (point === 'withdrawn') throw new SimulatedCrash();
      },
    });
    await expect(deliver(writing, task)).rejects.toThrow(SimulatedCrash);
    expect(await ending(deliver(recoverer, task))).toBe('EXECUTION_FAILED: the source changed during the move; the copy was withdrawn');
    expect(await both(here.near, here.far)).toEqual([{ a: 'one more' }, {}]);
    expect(Object.values(await contents(`${rig.far}/.writ-vault`))).toContain('one');
    await writing.stop();
  });

  it('ends with the copy in the vault when the worker died between the two halves of a withdrawal by link', async () => {
    const here = await room();
    const source = await put(here.near, 'a', 'one');
    const task = moveTask(source, `${here.far}/b`);
    const dying: Fault = (operation, name, toName) => {
      if (operation === 'unlink' && name === 'b') throw new SimulatedCrash();
      return withoutNoReplace(operation, name, toName);
    };
    const writing = await rig.executor({
      fileSystem: withFaults(rig.fileSystem, dying),
      onPoint: (point) => {
        if (point === 'published') appendFileSync(source, ' more');
      },
    });
    await expect(deliver(writing, task)).rejects.toThrow(SimulatedCrash);
    expect(await both(here.near, here.far)).toEqual([{ a: 'one more' }, { b: 'one' }]);
    expect(await ending(deliver(linkRecoverer, task))).toBe('EXECUTION_FAILED: the source changed during the move; the copy was withdrawn');
    expect(await both(here.near, here.far)).toEqual([{ a: 'one more' }, {}]);
    await writing.stop();
  });
});

describe('the last look at a poison task', () => {
  it('finishes what is done and rolls back what is not, but starts nothing', async () => {
    for (const way of Object.values(WAYS)) {
      for (const point of (await undisturbed(way)).points) {
        const here = await room();
        const task = way.task(here, await put(here.near, 'a', 'one'));
        crashAt.set(task.manifest.task_id, point);
        await expect(deliver(way.link ? linkCrasher : crasher, task)).rejects.toThrow(SimulatedCrash);
        const end = await ending(deliver(way.link ? linkRecoverer : recoverer, task, { mayRedo: false }));
        const begun = ['intent', 'C1', 'C2', 'C3', 'sealed'].includes(point);
        expect([point, end]).toEqual([point, begun ? expect.stringMatching(/^RESOURCE_EXHAUSTED: /) : 'SUCCESS']);
        expect(await way.visible(here)).toEqual(begun ? [{ a: 'one' }, {}] : way.ends);
      }
    }
  });
});

describe('an attempt of another process', () => {
  async function openAttempt(process: ProcessIdentity): Promise<{ task: Task; here: Room }> {
    const here = await room();
    const task = moveTask(await put(here.near, 'a', 'one'), `${here.next}/b`);
    const { instances } = rig;
    const other = await rig.executor({
      instances: { self: process, ensureDead: (whom) => instances.ensureDead(whom) },
      onPoint: () => {
        throw new SimulatedCrash();
      },
    });
    await expect(deliver(other, task)).rejects.toThrow(SimulatedCrash);
    await other.stop();
    return { task, here };
  }
  const dead = { instance: 'a4f6a8c0-0000-4000-8000-000000000000', pid: 4_000_000, startTime: '1' };

  it('is busy and untouched while that process may still act', async () => {
    const { task, here } = await openAttempt(dead);
    const fenced = await rig.executor({ instances: { self: rig.instances.self, ensureDead: async () => false } });
    expect(await ending(deliver(fenced, task))).toBe('busy');
    expect(await contents(here.near)).toEqual({ a: 'one' });
    expect((await rig.journal.view(task.manifest.task_id)).open?.process.instance).toBe(dead.instance);
    await fenced.stop();
  });

  it('is adopted once that process is surely dead, under the authority of the intent, although the lease has ended since', async () => {
    const { task, here } = await openAttempt(dead);
    const asked: ProcessIdentity[] = [];
    const fencing = await rig.executor({
      instances: {
        self: rig.instances.self,
        async ensureDead(whom) {
          asked.push(whom);
          return true;
        },
      },
    });
    const late = context({ gate: () => ({ kind: 'outcome', outcome: failure('LEASE_EXPIRED', 'too late') }) });
    expect(await ending(deliver(fencing, task, { context: late }))).toBe('SUCCESS');
    expect(asked).toMatchObject([dead]);
    expect(await contents(here.next)).toEqual({ b: 'one' });
    await fencing.stop();
  });

  it('is not touched by a worker whose own lock is no longer fresh, and recovered by the next delivery', async () => {
    const { task, here } = await openAttempt(dead);
    const fencing = await rig.executor({ instances: { self: rig.instances.self, ensureDead: async () => true } });
    const stale = context({ gate: () => ({ kind: 'interrupted', reason: 'lock-lost' }) });
    expect(await ending(deliver(fencing, task, { context: stale }))).toBe('interrupted');
    expect(await contents(here.near)).toEqual({ a: 'one' });
    expect((await rig.journal.view(task.manifest.task_id)).open).toBeDefined();
    expect(await ending(deliver(fencing, task))).toBe('SUCCESS');
    expect(await contents(here.next)).toEqual({ b: 'one' });
    await fencing.stop();
  });

  it('is recovered by exactly one of two processes that try at once', async () => {
    const { task, here } = await openAttempt(dead);
    const seize = (instance: string): Promise<FileExecutor> =>
      rig.executor({ instances: { self: { ...dead, instance }, ensureDead: async (whom) => whom.instance === dead.instance } });
    const [one, two] = [await seize('instance-one'), await seize('instance-two')];
    const ends = await Promise.all([ending(deliver(one, task)), ending(deliver(two, { ...task, epoch: 2 }))]);
    expect(ends.toSorted()).toEqual(['SUCCESS', 'busy']);
    expect(await contents(here.next)).toEqual({ b: 'one' });
    await Promise.all([one.stop(), two.stop()]);
  });

  it('is busy in its own process while it runs, and while nobody can look', async () => {
    const { task } = await openAttempt(rig.instances.self);
    const without = await rig.executor({ bases: [{ id: 'near', path: rig.near }] });
    expect(await ending(deliver(without, task))).toBe('busy');
    let armed = false;
    const blind = await rig.executor({ fileSystem: withFaults(rig.fileSystem, (operation) => (armed && operation === 'entry' ? 'io' : undefined)) });
    armed = true;
    expect(await ending(deliver(blind, task))).toBe('busy');
    armed = false;
    const interrupted = new AbortController();
    interrupted.abort('shutdown');
    expect(await ending(deliver(recoverer, task, { context: context({ signal: interrupted.signal }) }))).toBe('interrupted');
    expect(await ending(deliver(recoverer, task))).toBe('SUCCESS');
    await Promise.all([without.stop(), blind.stop()]);
  });
});
