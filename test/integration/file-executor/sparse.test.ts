import { closeSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { copyTask, deliver, ending, moveTask, put } from '../../support/file-executor.ts';
import { useFileRig } from './fixture.ts';

const files = useFileRig();
const MIB = 1024 * 1024;

/** A file of 64 MiB that holds some bytes in its middle. */
function sparse(path: string): string {
  const fd = openSync(path, 'wx');
  writeSync(fd, 'in the middle', 20 * MIB);
  ftruncateSync(fd, 64 * MIB);
  closeSync(fd);
  return path;
}

/** Bytes that a file takes of its disk. */
const taken = (path: string): number => statSync(path).blocks * 512;

describe('a sparse file', () => {
  it('stays sparse when it is copied, moved to another file system, and moved back by an undo', { tags: ['FE-29'] }, async () => {
    const { near, far } = await files.room();
    const source = sparse(`${near}/a`);
    const content = readFileSync(source);
    for (const to of [`${near}/copy`, `${far}/copy`]) {
      expect(await ending(deliver(files.executor, copyTask(source, to)))).toBe('SUCCESS');
      expect(readFileSync(to).equals(content)).toBe(true);
      expect(taken(to)).toBeLessThan(MIB);
    }
    const away = moveTask(source, `${far}/a`);
    expect(await ending(deliver(files.executor, away))).toBe('SUCCESS');
    expect(taken(`${far}/a`)).toBeLessThan(MIB);
    expect(await ending(deliver(files.executor, moveTask(`${far}/a`, source, { undoOf: away.manifest.task_id })))).toBe('SUCCESS');
    expect(readFileSync(source).equals(content)).toBe(true);
    expect(taken(source)).toBeLessThan(MIB);
  });

  it('needs room for its data only', { tags: ['FE-44'] }, async () => {
    const { near, far } = await files.room();
    const real = files.rig.fileSystem;
    const executor = await files.rig.executor({
      fileSystem: {
        level: real.level,
        async openBase(id, path) {
          const base = await real.openBase(id, path);
          return new Proxy(base, {
            get(target, key) {
              if (key === 'freeBytes') return async () => MIB;
              const value: unknown = Reflect.get(target, key);
              return typeof value === 'function' ? value.bind(target) : value;
            },
          });
        },
      },
    });
    expect(await ending(deliver(executor, copyTask(sparse(`${near}/a`), `${far}/a`)))).toBe('SUCCESS');
    const dense = await put(near, 'dense', 'x'.repeat(2 * MIB));
    expect(await ending(deliver(executor, copyTask(dense, `${far}/dense`)))).toMatch(/^RESOURCE_EXHAUSTED: the destination has no room left/);
    await executor.stop();
  });
});

it('a path of 4,095 bytes is the longest: every program can open what was moved there', async () => {
  const { near } = await files.room();
  const letters = (bytes: number): string => 'd'.repeat(bytes);
  const room = 4095 - Buffer.byteLength(near) - 1;
  const depth = Math.ceil(room / 251) - 1;
  const directory = `${near}/${Array.from({ length: depth }, () => letters(250)).join('/')}`;
  await mkdir(directory, { recursive: true });
  const name = letters(4095 - Buffer.byteLength(directory) - 1);
  expect(Buffer.byteLength(name)).toBeGreaterThan(0);
  const source = await put(near, 'a', 'one');
  expect(await ending(deliver(files.executor, copyTask(source, `${directory}/${name}x`.slice(0, 4096))))).toMatch(
    /^EXECUTION_FAILED: inputs.destination_path must be at most 4095 bytes long/,
  );
  expect(await ending(deliver(files.executor, moveTask(source, `${directory}/${name}`)))).toBe('SUCCESS');
  expect(readFileSync(`${directory}/${name}`, 'utf8')).toBe('one');
});
