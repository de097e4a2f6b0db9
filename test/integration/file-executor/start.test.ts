import { chmod, lstat, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWritError } from '../../../src/core/errors.ts';
import { context, createFileRig, deleteTask, deliver, ending, type FileRig, moveTask, put } from '../../support/file-executor.ts';
import { withFaults, withoutNoReplace } from './faults.ts';

let rig: FileRig;
let made = 0;
beforeAll(async () => {
  rig = await createFileRig();
});
afterAll(() => rig.close());

async function base(): Promise<string> {
  made += 1;
  const path = `${rig.directory}/base-${made}`;
  await mkdir(path);
  return path;
}

async function refusal(path: string, ...more: string[]): Promise<string> {
  const bases = [path, ...more].map((each, index) => ({ id: `b${index}`, path: each }));
  return rig.executor({ bases }).then(
    () => 'started',
    (error: unknown) => (isWritError(error) ? `${error.code} ${error.message}` : String(error)),
  );
}

describe('start', () => {
  it('makes a private vault at the root of every base, and leaves nothing else', async () => {
    const path = await base();
    expect(await refusal(path)).toBe('started');
    const vault = await stat(`${path}/.writ-vault`);
    expect([vault.isDirectory(), vault.mode & 0o7777]).toEqual([true, 0o700]);
    expect(await readdir(`${path}/.writ-vault`)).toEqual(['.writ-mark']);
    expect(await readdir(path)).toEqual(['.writ-vault']);
  });

  it('takes its own vault again, with files in it, and an empty one that a crash left', async () => {
    const path = await base();
    expect(await refusal(path)).toBe('started');
    await writeFile(`${path}/.writ-vault/d-${'0'.repeat(40)}-1`, 'kept');
    await writeFile(`${path}/.writ-tmp-left-by-a-crash`, '');
    expect(await refusal(path)).toBe('started');
    const crashed = await base();
    await mkdir(`${crashed}/.writ-vault`, { mode: 0o700 });
    expect(await refusal(crashed)).toBe('started');
  });

  it('refuses a foreign thing under a reserved name, with its path', async () => {
    const foreign: Record<string, (path: string) => Promise<unknown>> = {
      '.writ-vault': (path) => writeFile(path, 'a file'),
      '.writ-tmp-x': (path) => writeFile(path, 'foreign'),
      '.WRIT-other': (path) => mkdir(path),
    };
    for (const [name, make] of Object.entries(foreign)) {
      const path = await base();
      await make(`${path}/${name}`);
      expect(await refusal(path)).toMatch(new RegExp(`^INVALID_CONFIG ${path}/${name} `));
      expect(await readdir(path)).toEqual([name]);
    }
    const full = await base();
    await mkdir(`${full}/.writ-vault`, { mode: 0o700 });
    await put(full, '.writ-vault/secret', 'foreign');
    expect(await refusal(full)).toMatch(/INVALID_CONFIG .*holds files and was not made by Writ/);
    const open = await base();
    await mkdir(`${open}/.writ-vault`);
    await chmod(`${open}/.writ-vault`, 0o755);
    expect(await refusal(open)).toMatch(/INVALID_CONFIG .*0700/);
    const linked = await base();
    await symlink('/tmp', `${linked}/.writ-vault`);
    expect(await refusal(linked)).toMatch(/INVALID_CONFIG .*not a directory/);
    expect((await lstat(`${linked}/.writ-vault`)).isSymbolicLink()).toBe(true);
  });

  it('refuses bases that nest, are missing, are no directories, or are one directory', async () => {
    const path = await base();
    await mkdir(`${path}/inner`);
    expect(await refusal(path, `${path}/inner`)).toMatch(/INVALID_CONFIG base directories may not nest/);
    expect(await refusal(`${path}/inner`, path)).toMatch(/may not nest/);
    expect(await refusal(path, path)).toMatch(/may not nest/);
    expect(await refusal(`${path}/none`)).toMatch(/^INVALID_CONFIG /);
    await writeFile(`${path}/file`, '');
    expect(await refusal(`${path}/file`)).toMatch(/^INVALID_CONFIG /);
    const ids = rig.executor({ bases: [await base(), await base()].map((each) => ({ id: 'same', path: each })) });
    await expect(ids).rejects.toThrow(/two base directories have the id same/);
  });

  it('may be started and stopped twice, and works again after a restart', async () => {
    const path = await base();
    const executor = await rig.executor({ bases: [{ id: 'b', path }] });
    await Promise.all([executor.start(), executor.start()]);
    await executor.stop();
    await executor.stop();
    const task = moveTask(await put(path, 'a'), `${path}/b`);
    await expect(executor.execute(task, context())).rejects.toThrow(/not running/);
    await executor.start();
    expect(await ending(deliver(executor, task))).toBe('SUCCESS');
    await executor.stop();
  });

  it('lets several processes prepare one base at once', async () => {
    const path = await base();
    const executors = await Promise.all(Array.from({ length: 6 }, () => rig.executor({ bases: [{ id: 'b', path }] })));
    expect(await readdir(`${path}/.writ-vault`)).toEqual(['.writ-mark']);
    for (const executor of executors) await executor.stop();
  });

  it('finds out how each file system moves a file, before the first intent', async () => {
    const rename = await rig.executor();
    const link = await rig.executor({ fileSystem: withFaults(rig.fileSystem, withoutNoReplace) });
    const methods: Record<string, unknown> = {};
    for (const [name, executor, to] of [
      ['rename', rename, rig.next],
      ['link', link, rig.next],
      ['copy', rename, rig.far],
    ] as const) {
      const task = moveTask(await put(rig.near, `m-${name}`), `${to}/m-${name}`);
      await executor.execute(task, context());
      methods[name] = (await rig.journal.view(task.manifest.task_id)).open?.method;
    }
    expect(methods).toEqual({ rename: 'rename', link: 'link', copy: 'copy' });
  });

  it('copies between two bases of one device that the kernel will not rename between', async () => {
    // Two mounts of one file system: rename answers EXDEV although the device numbers are equal.
    const pair = withFaults(rig.fileSystem, (operation, name, toName) => (operation === 'renameNoReplace' && name === toName ? 'cross-device' : undefined));
    const executor = await rig.executor({ fileSystem: pair });
    const task = moveTask(await put(rig.near, 'mounted'), `${rig.next}/mounted-2`);
    await executor.execute(task, context());
    expect((await rig.journal.view(task.manifest.task_id)).open?.method).toBe('copy');
  });
});

describe('a vault that was exchanged while the worker runs', () => {
  it('takes no file, and gives none away', async () => {
    const path = await base();
    const executor = await rig.executor({ bases: [{ id: 'b', path }] });
    const source = await put(path, 'a', 'one');
    const { rename } = await import('node:fs/promises');
    await rename(`${path}/.writ-vault`, `${path}/was-vault`);
    expect(await ending(deliver(executor, deleteTask(source)))).toMatch(/^EXECUTION_FAILED: the vault does not exist/);
    await mkdir(`${path}/.writ-vault`, { mode: 0o777 });
    expect(await ending(deliver(executor, deleteTask(source)))).toMatch(/^EXECUTION_FAILED: the vault leaves its base directory/);
    // Under its new name it is still recognized.
    await put(path, 'was-vault/x', 'kept');
    expect(await ending(deliver(executor, moveTask(`${path}/was-vault/x`, `${path}/x`)))).toMatch(/^EXECUTION_FAILED: /);
    expect(await ending(deliver(executor, moveTask(source, `${path}/was-vault/a`)))).toMatch(/^EXECUTION_FAILED: /);
  });
});
