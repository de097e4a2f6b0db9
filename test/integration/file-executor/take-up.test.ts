import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import type { BaseChange, FileExecutor, FileExecutorOptions } from '../../../src/executors/file/index.ts';
import { contents, createFileRig, deliver, ending, type FileRig, moveTask, put } from '../../support/file-executor.ts';
import { inMountNamespace } from '../../support/mounts.ts';

const SETTLE_MS = 10_000;

let rig: FileRig;
let made = 0;
beforeAll(async () => {
  rig = await createFileRig();
});
afterAll(() => rig.close());

describe('what stands at the path of an exchanged base directory', () => {
  let here: string;
  let other: string;
  let away: string;
  let ms: number;
  let changes: string[];

  beforeEach(() => {
    made += 1;
    [here, other, away] = [`${rig.directory}/here-${made}`, `${rig.directory}/other-${made}`, `${rig.directory}/away-${made}`];
    for (const directory of [here, other]) mkdirSync(directory);
    ms = 1000;
    changes = [];
  });

  function start(more: Partial<FileExecutorOptions> = {}): Promise<FileExecutor> {
    return rig.executor({
      bases: [
        { id: 'here', path: here },
        { id: 'other', path: other },
      ],
      clock: { now: systemClock.now, monotonic: () => ms },
      // The clock is the test's: a look of the timer in between finds no time passed.
      settleMs: SETTLE_MS,
      onBaseChange: ({ base, what }: BaseChange) => changes.push(`${base} ${what}`),
      ...more,
    });
  }

  async function pass(executor: FileExecutor, by: number): Promise<void> {
    await executor.bases.look();
    ms += by;
    await executor.bases.look();
  }

  it('is taken up without a restart once it has stood there long enough, and not before', async () => {
    const executor = await start();
    await put(here, 'a', 'old');
    renameSync(here, away);
    mkdirSync(here);
    await put(here, 'b', 'new');
    await pass(executor, SETTLE_MS - 1);
    expect(executor.bases.states()[0]).toEqual({ id: 'here', path: here, ok: false, detail: 'was exchanged: something else stands at its path' });
    expect(await ending(deliver(executor, moveTask(`${here}/b`, `${here}/c`)))).toMatch(/^EXECUTION_FAILED: the base directory 'here' was exchanged/);

    await pass(executor, 1);
    expect(changes).toEqual(['here exchanged', 'here taken-up']);
    expect(executor.bases.states()[0]).toEqual({ id: 'here', path: here, ok: true, detail: 'stands at its path' });
    for (const to of [`${here}/c`, `${other}/c`]) {
      const from = to.startsWith(here) ? `${here}/b` : `${here}/c`;
      expect(await ending(deliver(executor, moveTask(from, to)))).toBe('SUCCESS');
    }
    expect(await contents(other)).toEqual({ c: 'new' });
    expect(await contents(away)).toEqual({ a: 'old' });
    expect(readdirSync(`${here}/.writ-vault`)).toEqual(['.writ-mark']);
    await executor.stop();
  });

  it('must be the same all the time: another exchange begins the time anew', async () => {
    const executor = await start();
    renameSync(here, away);
    mkdirSync(here);
    await pass(executor, SETTLE_MS - 1);
    // Kept under another name, so that its inode number cannot be given to the next one.
    renameSync(here, `${away}-2`);
    mkdirSync(here);
    await pass(executor, SETTLE_MS - 1);
    expect(executor.bases.states()[0]?.ok).toBe(false);
    await pass(executor, 1);
    expect(executor.bases.states()[0]?.ok).toBe(true);
    expect(changes).toEqual(['here exchanged', 'here exchanged', 'here taken-up']);
    await executor.stop();
  });

  it('is not needed when the directory itself comes back: it is the base again at once', async () => {
    const executor = await start();
    const task = moveTask(await put(here, 'a'), `${here}/b`);
    renameSync(here, away);
    await executor.bases.look();
    expect(await ending(deliver(executor, task))).toMatch(/^EXECUTION_FAILED/);
    renameSync(away, here);
    expect(await ending(deliver(executor, task))).toBe('SUCCESS');
    await executor.bases.look();
    expect(changes).toEqual(['here exchanged', 'here returned']);
    await executor.stop();
  });

  it.each<[string, () => void, RegExp]>([
    ['a link', () => symlinkSync(away, here), /a symbolic link stands at its path; not taken up: .*symbolic link/],
    ['nothing', () => undefined, /nothing stands at its path; not taken up: .*does not exist/],
    ['the directory of another base', () => renameSync(other, here), /are the same directory/],
    [
      'a directory with a foreign name of ours',
      () => {
        mkdirSync(here);
        mkdirSync(`${here}/.writ-other`);
      },
      /not taken up: .*was there before Writ/,
    ],
  ])('is never taken up when it is %s, and says why', { tags: ['FE-12'] }, async (_what, instead, detail) => {
    const executor = await start();
    renameSync(here, away);
    instead();
    for (let look = 0; look < 3; look += 1) await pass(executor, SETTLE_MS);
    const state = executor.bases.states().find(({ id }) => id === 'here');
    expect(state?.ok).toBe(false);
    expect(state?.detail).toMatch(detail);
    expect(changes).not.toContain('here taken-up');
    rmSync(here, { recursive: true, force: true });
    await executor.stop();
  });

  it('is for the runs that begin afterwards: one that holds the old directory is judged by its path, and lets go of it', { tags: ['FE-22'] }, async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const executor = await start({
      onPoint: (point) => {
        if (point !== 'intent') return;
        renameSync(here, away);
        mkdirSync(here);
      },
    });
    await put(here, 'a', 'one');
    const before = open();
    expect(await ending(deliver(executor, moveTask(`${here}/a`, `${here}/b`)))).toMatch(/^EXECUTION_FAILED: the base directory 'here' was exchanged/);
    await pass(executor, SETTLE_MS);
    expect(executor.bases.states()[0]?.ok).toBe(true);
    expect(open()).toBe(before);
    await executor.stop();
  });

  it('taken up in the midst of a run leaves that run its own directory until it has ended', async () => {
    let inMidst: (() => Promise<void>) | undefined;
    const real = rig.fileSystem;
    const executor: FileExecutor = await start({
      fileSystem: {
        level: real.level,
        async openBase(id, directory) {
          const base = await real.openBase(id, directory);
          // The last thing that is asked of a base before the effect is judged.
          return new Proxy(base, {
            get: (target, key) => {
              if (key !== 'directory') {
                const value: unknown = Reflect.get(target, key);
                return typeof value === 'function' ? value.bind(target) : value;
              }
              return async (segments: readonly string[]) => {
                const deed = inMidst;
                inMidst = undefined;
                await deed?.();
                return target.directory(segments);
              };
            },
          });
        },
      },
      onPoint: (point) => {
        if (point !== 'M1') return;
        inMidst = async () => {
          renameSync(here, away);
          mkdirSync(here);
          await pass(executor, SETTLE_MS);
        };
      },
    });
    await put(here, 'a', 'one');
    expect(await ending(deliver(executor, moveTask(`${here}/a`, `${here}/b`)))).toMatch(
      /was exchanged \(something else stands at its path\); it was taken back$/,
    );
    expect(changes).toEqual(['here exchanged', 'here taken-up']);
    expect(await contents(away)).toEqual({ a: 'one' });
    expect(existsSync(`${here}/b`)).toBe(false);
    await executor.stop();
  });
});

it('tells mounts over a base, takes up a new one, and waits for the mark of a base where a mount is gone', { tags: ['FE-12', 'FE-22'] }, async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'writ-take-up-'));
  try {
    expect(await inMountNamespace(new URL('./take-up-scenario.ts', import.meta.url), [root])).toEqual({
      'move before': 'SUCCESS',
      'move under a mount': "EXECUTION_FAILED: the base directory 'disk' was exchanged (its path leads to another mount)",
      'move after the mount is gone again': 'SUCCESS',
      'move in a mount that stands long enough': 'SUCCESS',
      'file of that move': 'moved',
      'unmounted: move': "EXECUTION_FAILED: the base directory 'disk' was exchanged (its path leads to another mount)",
      'unmounted: state':
        'was exchanged: its path leads to another mount; not taken up: its mount is gone, and what came to light was never a base directory; mount it again, or restart',
      'unmounted: names beneath': '',
      'the same disk mounted again': 'SUCCESS',
      'file of the move on the same disk': 'moved',
      'a base below the top of its disk, mounted again': 'SUCCESS',
      'mounted over a directory inside, after the effect': 'EXECUTION_FAILED: a directory was moved away during the operation; it was taken back',
      'file before that mount': 'inside',
    });
  } finally {
    rmSync(root, { recursive: true });
  }
});
