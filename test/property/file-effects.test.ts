import { lstatSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/core/ports/index.ts';
import type { FileExecutor } from '../../src/executors/file/index.ts';
import { contents, copyTask, createFileRig, deleteTask, deliver, type FileRig, fileTask, moveTask, put } from '../support/file-executor.ts';

/** The five, as the specification lists them (file-executor.md 8). */
const CODES = ['UNSUPPORTED_CAPABILITY', 'INVALID_LEASE', 'LEASE_EXPIRED', 'EXECUTION_FAILED', 'RESOURCE_EXHAUSTED'];

/** Requests that are refused, each for another reason. */
const REFUSED = ['FILE_MOVE', 'FILE_COPY'].flatMap((capability) =>
  ['near/a', 'far/dir', 'far/dir/c', 'near/link', 'none/x', 'far/none/x', 'far/a/', 'outside/y'].map((place): Asked => {
    const [base = '', ...names] = place.split('/');
    return [capability, { base: 'near', name: 'dir/c' }, { base, name: names.join('/') }, {}, undefined];
  }),
);
type Asked = [capability: string, source: unknown, destination: unknown, constraints: { reversible?: boolean; scope?: string }, undoOf: string | undefined];

let rig: FileRig;
let executor: FileExecutor;
let made = 0;
beforeAll(async () => {
  rig = await createFileRig({ near: '/dev/shm', far: '/tmp' });
  executor = await rig.executor();
});
afterAll(() => rig.close());

async function everything(): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const [base, path] of Object.entries({ near: rig.near, next: rig.next, far: rig.far })) {
    for (const [file, text] of Object.entries(await contents(path))) all[`${base}/${file}`] = text;
  }
  return all;
}

async function empty(): Promise<void> {
  for (const base of [rig.near, rig.next, rig.far]) {
    for (const name of await readdir(base)) if (name !== '.writ-vault') await rm(`${base}/${name}`, { recursive: true });
  }
}

describe('any manifest', () => {
  it('ends with SUCCESS or one of five codes, destroys no bytes, and touches nothing outside', { tags: ['FE-45', 'FE-52'] }, async () => {
    const outside = `${rig.directory}/outside`;
    const names = ['a', 'b', 'dir', 'dir/c', 'link', 'dir-link/x', 'none', 'none/x', '.writ-vault/x', '..', '../outside/x', 'a/', 'a//b', '*', '\0'];
    const path = fc.oneof(
      fc.tuple(fc.constantFrom('near', 'next', 'far', 'outside'), fc.constantFrom(...names)).map(([base, name]) => ({ base, name })),
      fc.constantFrom<unknown>('', 7, null, {}, 'relative', '//host/x', 'file:///x', '/etc/hostname', undefined),
    );
    const concrete = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null || !('base' in value) || !('name' in value)) return value;
      const roots: Record<string, string> = { near: rig.near, next: rig.next, far: rig.far, outside };
      return `${roots[String(value.base)]}/${String(value.name)}`;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('FILE_MOVE', 'FILE_COPY', 'FILE_DELETE', 'FILE_DELETE', 'FILE_PURGE'),
        path,
        path,
        fc.record({ reversible: fc.boolean(), scope: fc.constantFrom('/', '/nowhere', 'x') }, { requiredKeys: [] }),
        fc.option(fc.constantFrom('nobody', 'task-1'), { nil: undefined }),
        async (capability, source, destination, constraints, undoOf) => {
          await empty();
          await rm(outside, { recursive: true, force: true });
          await put(outside, 'x', 'outside');
          for (const file of ['a', 'dir/c']) for (const base of [rig.near, rig.far]) await put(base, file, `${base} ${file}`);
          await symlink(`${outside}/x`, `${rig.near}/link`);
          await symlink(outside, `${rig.near}/dir-link`);
          const before = await everything();
          const asked = { source_path: concrete(source), ...(capability === 'FILE_DELETE' && made % 2 ? {} : { destination_path: concrete(destination) }) };
          const inputs = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
          made += 1;
          const end = await deliver(executor, fileTask(capability, inputs, { constraints, ...(undoOf === undefined ? {} : { undoOf }) }));
          if (end.kind !== 'outcome') throw new Error(end.kind);
          if (end.outcome.status === 'FAILURE') expect(CODES).toContain(end.outcome.error.error_code);
          const after = await everything();
          if (end.outcome.status === 'FAILURE') expect(after).toEqual(before);
          const left = new Set(Object.values(after));
          for (const text of Object.values(before)) expect(left.has(text)).toBe(true);
          expect(await contents(outside)).toEqual({ x: 'outside' });
          expect(lstatSync(`${rig.near}/link`).isSymbolicLink()).toBe(true);
        },
      ),
      // What chance seldom finds: a source that is there, with each kind of destination that is none.
      { numRuns: 150, examples: REFUSED },
    );
  });
});

describe('the output', () => {
  it('is the same for the same manifest and the same files, on another journal too', { tags: ['FE-50'] }, async () => {
    const second = await createFileRig({ near: '/dev/shm', far: '/tmp' });
    const twin = await rig.executor({ journal: second.journal });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(moveTask, copyTask, deleteTask),
        fc.constantFrom('near', 'next', 'far'),
        fc.string({ maxLength: 30 }),
        async (kind, to, text) => {
          const roots = { near: rig.near, next: rig.next, far: rig.far };
          const task: Task =
            kind === deleteTask ? deleteTask(`${rig.near}/same`) : (kind as typeof moveTask)(`${rig.near}/same`, `${roots[to as 'near']}/there`);
          const texts: string[] = [];
          for (const which of [executor, twin]) {
            await empty();
            // The delete's place in the vault is the same too.
            await rm(`${rig.near}/.writ-vault`, { recursive: true });
            await writeFile(`${rig.near}/same`, text);
            await which.stop();
            await which.start();
            const end = await deliver(which, task);
            texts.push(end.kind === 'outcome' ? end.text : end.kind);
          }
          expect(texts[1]).toBe(texts[0]);
          expect(texts[0]).toContain('SUCCESS');
        },
      ),
      { numRuns: 15 },
    );
    await second.close();
    await executor.stop();
    await executor.start();
  });
});

describe('undo, redo, undo', () => {
  it('brings one file to and fro, never two, never none, in any order of undos', { tags: ['FE-53'] }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('delete', 'next', 'far'), fc.array(fc.nat({ max: 5 }), { minLength: 3, maxLength: 7 }), async (kind, picks) => {
        made += 1;
        const directory = `cycle-${made}`;
        for (const base of [rig.near, rig.next, rig.far]) await mkdir(`${base}/${directory}`);
        const text = `bytes of ${directory}`;
        const home = await put(rig.near, `${directory}/a`, text);
        const away = kind === 'delete' ? undefined : `${kind === 'next' ? rig.next : rig.far}/${directory}/b`;
        const first = away === undefined ? deleteTask(home) : moveTask(home, away);
        const history: { task: Task; recovery: string; goesHome: boolean }[] = [];

        const run = async (task: Task, goesHome: boolean): Promise<boolean> => {
          const end = await deliver(executor, task);
          if (end.kind !== 'outcome') throw new Error(end.kind);
          if (end.outcome.status === 'SUCCESS')
            history.push({ task, recovery: /"recovery_path":"([^"]+)"/.exec(end.text)?.[1] ?? history.at(-1)?.recovery ?? '', goesHome });
          return end.outcome.status === 'SUCCESS';
        };
        const undoing = (entry: (typeof history)[number]): Task => {
          const undoOf = entry.task.manifest.task_id;
          if (entry.goesHome) return away === undefined ? deleteTask(home, { undoOf }) : moveTask(home, away, { undoOf });
          return moveTask(away ?? entry.recovery, home, { undoOf });
        };
        expect(await run(first, false)).toBe(true);
        for (const pick of picks) {
          const before = await visible(directory, text);
          // Pick 0: the latest, which always works. Others: any earlier one, which works or changes nothing.
          const target = history[Math.max(0, history.length - 1 - pick)];
          if (!target) throw new Error('no history');
          const latest = target === history.at(-1);
          const done = await run(undoing(target), !target.goesHome);
          if (latest) expect(done).toBe(true);
          const after = await visible(directory, text);
          if (!done) expect(after).toEqual(before);
          const atHome = history.at(-1)?.goesHome ?? false;
          expect(after.home).toBe(atHome ? 1 : 0);
          expect(after.away).toBe(atHome || kind === 'delete' ? 0 : 1);
          expect(after.anywhere).toBe(true);
          // The same undo at once again is refused.
          expect(await run(undoing(target), !target.goesHome)).toBe(false);
        }
      }),
      { numRuns: 25 },
    );
  });

  async function visible(directory: string, text: string): Promise<{ home: number; away: number; anywhere: boolean }> {
    const count = async (path: string): Promise<number> => Object.values(await contents(path)).filter((found) => found === text).length;
    const [home, ...elsewhere] = await Promise.all([rig.near, rig.next, rig.far].map((base) => count(`${base}/${directory}`)));
    const vaulted = await count(`${rig.near}/.writ-vault`);
    const away = elsewhere.reduce((sum, found) => sum + found, 0);
    return { home: home ?? 0, away, anywhere: (home ?? 0) + away + vaulted > 0 };
  }
});
