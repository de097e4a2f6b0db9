import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPoint, FileExecutorOptions } from '../../../src/executors/file/index.ts';
import { contents, copyTask, createFileRig, deleteTask, deliver, ending, type FileRig, moveTask, put, SimulatedCrash } from '../../support/file-executor.ts';
import { withFaults, withoutNoReplace } from './faults.ts';

/** docs/protocol.md 9: a base directory that is exchanged while a worker holds it. No answer may claim a path where nothing happened. */
let rig: FileRig;
let made = 0;
beforeAll(async () => {
  rig = await createFileRig();
});
afterAll(() => rig.close());

/** Two base directories of one test: `here` will be exchanged, `there` lies on another file system. */
interface Bases {
  readonly here: string;
  readonly there: string;
  /** Where the directory that was `here` lies afterwards. */
  readonly away: string;
  readonly options: Pick<FileExecutorOptions, 'bases'>;
}

function bases(): Bases {
  made += 1;
  const [here, there] = [`${rig.directory}/here-${made}`, `${rig.far}/there-${made}`];
  for (const path of [here, there]) mkdirSync(path);
  const options = {
    bases: [
      { id: 'here', path: here },
      { id: 'there', path: there },
    ],
  };
  return { here, there, away: `${rig.directory}/away-${made}`, options };
}

/** Ways to put something else at the path of `here`, without privileges. */
const EXCHANGES: Readonly<Record<string, { readonly deed: (at: Bases) => void; readonly why: string }>> = {
  'renamed away': { deed: ({ here, away }) => renameSync(here, away), why: 'nothing stands at its path' },
  'renamed away and made anew': {
    deed({ here, away }) {
      renameSync(here, away);
      mkdirSync(here);
    },
    why: 'something else stands at its path',
  },
  'replaced by a link to it': {
    deed({ here, away }) {
      renameSync(here, away);
      symlinkSync(away, here);
    },
    why: 'a symbolic link stands at its path',
  },
};

function bringBack({ here, away }: Bases): void {
  rmSync(here, { recursive: true, force: true });
  renameSync(away, here);
}

describe.each(Object.entries(EXCHANGES))('a base directory that was %s', (_how, { deed, why }) => {
  it('takes no task: nothing is begun, and the refusal says why', { tags: ['FE-12', 'FE-22'] }, async () => {
    const at = bases();
    const executor = await rig.executor(at.options);
    for (const name of ['a', 'b', 'c']) await put(at.here, name);
    await put(at.there, 'd');
    deed(at);
    const tasks = [
      moveTask(`${at.here}/a`, `${at.here}/a2`),
      copyTask(`${at.here}/b`, `${at.there}/b2`),
      copyTask(`${at.there}/d`, `${at.here}/d2`),
      moveTask(`${at.there}/d`, `${at.here}/d3`),
      deleteTask(`${at.here}/c`),
    ];
    for (const task of tasks) {
      expect(await ending(deliver(executor, task))).toBe(`EXECUTION_FAILED: the base directory 'here' was exchanged (${why})`);
      expect((await rig.journal.view(task.manifest.task_id)).attempts).toBe(0);
    }
    expect(await contents(at.away)).toEqual({ a: 'content of a', b: 'content of b', c: 'content of c' });
    expect(await contents(at.there)).toEqual({ d: 'content of d' });

    bringBack(at);
    for (const task of tasks) expect(await ending(deliver(executor, task))).toBe('SUCCESS');
    await executor.stop();
  });
});

type MakeTask = (at: Bases) => Parameters<typeof deliver>[1];
const KINDS: Readonly<Record<string, { readonly task: MakeTask; readonly points: readonly CrashPoint[]; readonly byLink?: true }>> = {
  'a move': { task: ({ here }) => moveTask(`${here}/a`, `${here}/b`), points: ['intent', 'M1'] },
  'a move by link': { task: ({ here }) => moveTask(`${here}/a`, `${here}/b`), points: ['intent', 'L1', 'L2'], byLink: true },
  'a delete': { task: ({ here }) => deleteTask(`${here}/a`), points: ['intent', 'M1'] },
  'a copy inside': { task: ({ here }) => copyTask(`${here}/a`, `${here}/b`), points: ['intent', 'C1', 'C2', 'C3', 'sealed', 'C4'] },
  'a copy out': { task: ({ here, there }) => copyTask(`${here}/a`, `${there}/b`), points: ['intent', 'C1', 'C2', 'C3', 'sealed', 'C4'] },
  'a move to another file system': {
    task: ({ here, there }) => moveTask(`${here}/a`, `${there}/b`),
    points: ['intent', 'C1', 'C2', 'C3', 'sealed', 'C4', 'C5', 'published', 'X6', 'X7'],
  },
};

/** What others could see, or what a path leads to afterwards. */
const EFFECTS: ReadonlySet<CrashPoint> = new Set<CrashPoint>(['M1', 'L1', 'C1', 'C4', 'X7']);

/** Files that a reader of the tree sees: what lies in vaults is not among them. */
async function visible(directory: string): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await contents(directory)).filter(([name]) => !name.startsWith('.writ-vault/')));
}

describe.each(Object.entries(KINDS))('during %s', (_kind, { task: make, points, byLink }) => {
  it.each(points)('an exchange after %s ends in a truthful failure: what was done is taken back', { tags: ['FE-22'] }, async (point) => {
    for (const { deed } of Object.values(EXCHANGES)) {
      const at = bases();
      const after: CrashPoint[] = [];
      let exchanged = false;
      await put(at.here, 'a', 'one');
      const executor = await rig.executor({
        ...at.options,
        ...(byLink ? { fileSystem: withFaults(rig.fileSystem, withoutNoReplace) } : {}),
        onPoint: (passed) => {
          if (exchanged && EFFECTS.has(passed)) after.push(passed);
          if (passed !== point) return;
          deed(at);
          exchanged = true;
        },
      });
      const task = make(at);
      expect(await ending(deliver(executor, task))).toMatch(/^EXECUTION_FAILED: the base directory 'here' was exchanged \(.*\)/);
      // No effect was begun after the exchange: each one looks first.
      expect(after).toEqual([]);
      // Neither in the tree that was here, nor at its path, nor on the other side is anything of it.
      expect(await visible(at.away)).toEqual({ a: 'one' });
      expect(await visible(at.there)).toEqual({});
      if (existsSync(at.here)) expect(readdirSync(at.here).filter((name) => !readdirSync(at.away).includes(name))).toEqual([]);
      await executor.stop();

      // The tree is brought back, and the task, pushed again, is done once.
      bringBack(at);
      const next = await rig.executor(at.options);
      const doubtful = (await rig.journal.view(task.manifest.task_id)).doubtful !== undefined;
      if (!doubtful) expect(await ending(deliver(next, task))).toBe('SUCCESS');
      await next.stop();
    }
  });
});

describe('an effect that was judged before the exchange', () => {
  it.each(['M2', 'before-close'] as const)('is a SUCCESS: it stood at its path when it was looked at (%s)', async (point) => {
    const at = bases();
    await put(at.here, 'a', 'one');
    const executor = await rig.executor({
      ...at.options,
      onPoint: (passed) => {
        if (passed === point) EXCHANGES['renamed away']?.deed(at);
      },
    });
    expect(await ending(deliver(executor, moveTask(`${at.here}/a`, `${at.here}/b`)))).toBe('SUCCESS');
    expect(readFileSync(`${at.away}/b`, 'utf8')).toBe('one');
    await executor.stop();
  });
});

describe('recovery', () => {
  it('touches nothing while the base of an open attempt is exchanged, and finishes when it is back', { tags: ['FE-22'] }, async () => {
    const at = bases();
    await put(at.here, 'a', 'one');
    let crash: CrashPoint | undefined = 'M1';
    const executor = await rig.executor({
      ...at.options,
      onPoint: (passed) => {
        if (passed === crash) throw new SimulatedCrash();
      },
    });
    const task = moveTask(`${at.here}/a`, `${at.here}/b`);
    await expect(deliver(executor, task)).rejects.toBeInstanceOf(SimulatedCrash);
    crash = undefined;
    EXCHANGES['renamed away and made anew']?.deed(at);
    expect(await ending(deliver(executor, task))).toBe('busy');
    expect(await visible(at.away)).toEqual({ b: 'one' });
    bringBack(at);
    expect(await ending(deliver(executor, task))).toBe('SUCCESS');
    await executor.stop();
  });

  it('of a worker that was started on the new tree calls the outcome unknown, and claims nothing', async () => {
    const at = bases();
    await put(at.here, 'a', 'one');
    const executor = await rig.executor({
      ...at.options,
      onPoint: (passed) => {
        if (passed === 'M1') throw new SimulatedCrash();
      },
    });
    const task = moveTask(`${at.here}/a`, `${at.here}/b`);
    await expect(deliver(executor, task)).rejects.toBeInstanceOf(SimulatedCrash);
    await executor.stop();
    EXCHANGES['renamed away and made anew']?.deed(at);
    const next = await rig.executor(at.options);
    expect(await ending(deliver(next, task))).toMatch(/^EXECUTION_FAILED: outcome unknown/);
    expect((await rig.journal.view(task.manifest.task_id)).doubtful).toBeDefined();
    await next.stop();
  });
});
