import { lstat, mkdir, readFile, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { failure } from '../../../src/core/outcome.ts';
import { contents, context, copyTask, deleteTask, deliver, ending, fileTask, moveTask, put } from '../../support/file-executor.ts';
import { useFileRig } from './fixture.ts';

const files = useFileRig();

describe('what is not a regular file', () => {
  it('refuses directories as source and as destination', { tags: ['FE-02', 'FE-08', 'FE-17'] }, async () => {
    const { near } = await files.room();
    await mkdir(`${near}/dir`);
    await put(near, 'dir/inside', 'kept');
    const file = await put(near, 'a');
    const ends = await Promise.all([
      ending(deliver(files.executor, moveTask(`${near}/dir`, `${near}/b`))),
      ending(deliver(files.executor, copyTask(`${near}/dir`, `${near}/b`))),
      ending(deliver(files.executor, deleteTask(`${near}/dir`))),
      ending(deliver(files.executor, moveTask(file, `${near}/dir`))),
      ending(deliver(files.executor, copyTask(file, `${near}/dir`))),
    ]);
    for (const end of ends) expect(end).toMatch(/^EXECUTION_FAILED: .* is a directory/);
    expect(await contents(near)).toEqual({ a: 'content of a', 'dir/inside': 'kept' });
  });

  it('does not follow symbolic links: as source, as destination, as a parent', { tags: ['FE-09'] }, async () => {
    const { near, next } = await files.room();
    const outside = await put(files.rig.directory, 'outside/secret', 'secret');
    await put(next, 'target', 'target');
    await symlink(outside, `${near}/link`);
    await symlink(`${next}/target`, `${near}/inside-link`);
    await symlink(`${near}/nowhere`, `${near}/dangling`);
    await symlink(`${files.rig.directory}/outside`, `${near}/dir-link`);
    await symlink(next, `${near}/base-link`);
    const file = await put(near, 'a', 'one');
    const refused = [
      moveTask(`${near}/link`, `${near}/b`),
      copyTask(`${near}/link`, `${near}/b`),
      copyTask(`${near}/inside-link`, `${near}/b`),
      deleteTask(`${near}/link`),
      moveTask(file, `${near}/dangling`),
      copyTask(file, `${near}/dangling`),
      copyTask(`${near}/dir-link/secret`, `${near}/b`),
      moveTask(file, `${near}/dir-link/b`),
      deleteTask(`${near}/dir-link/secret`),
      copyTask(`${near}/base-link/target`, `${near}/b`),
    ];
    for (const task of refused) expect(await ending(deliver(files.executor, task))).toMatch(/^EXECUTION_FAILED: .*symbolic link/);
    expect(await readFile(outside, 'utf8')).toBe('secret');
    expect((await lstat(`${near}/dangling`)).isSymbolicLink()).toBe(true);
    expect(await readFile(file, 'utf8')).toBe('one');
  });
});

describe('boundaries', () => {
  it('refuses sources and destinations outside of the base directories, and says nothing of what is there', { tags: ['FE-12', 'FE-23'] }, async () => {
    const { near } = await files.room();
    const file = await put(near, 'a');
    const outside = await put(files.rig.directory, 'elsewhere/x', 'foreign');
    const [there, notThere] = [
      await ending(deliver(files.executor, copyTask(outside, `${near}/b`))),
      await ending(deliver(files.executor, copyTask(`${outside}-no`, `${near}/b`))),
    ];
    expect(there).toMatch(/^EXECUTION_FAILED: inputs\.source_path must lie below a configured base directory/);
    expect(notThere.replace('-no', '')).toBe(there);
    expect(await ending(deliver(files.executor, moveTask(file, `${files.rig.directory}/elsewhere/y`)))).toMatch(/^EXECUTION_FAILED: inputs\.destination_path/);
    expect(await contents(`${files.rig.directory}/elsewhere`)).toEqual({ x: 'foreign' });
  });

  it('refuses everything without base directories', { tags: ['FE-19'] }, async () => {
    const { near } = await files.room();
    const file = await put(near, 'a');
    const none = await files.rig.executor({ bases: [] });
    for (const task of [moveTask(file, `${near}/b`), copyTask(file, `${near}/b`), deleteTask(file)])
      expect(await ending(deliver(none, task))).toMatch(/^EXECUTION_FAILED: /);
    expect(await contents(near)).toEqual({ a: 'content of a' });
  });

  it('takes shell words in a path literally', { tags: ['FE-07'] }, async () => {
    const { near } = await files.room();
    const source = await put(near, 'a; rm -rf $(pwd) && `reboot` | x', 'kept');
    expect(await ending(deliver(files.executor, moveTask(source, `${near}/$HOME; rm b`)))).toBe('SUCCESS');
    expect(await contents(near)).toEqual({ '$HOME; rm b': 'kept' });
  });

  it('uses the normalized path', { tags: ['FE-18'] }, async () => {
    const { near } = await files.room();
    await put(near, 'a/x', 'one');
    const end = await deliver(files.executor, copyTask(`${near}//a/./x`, `${near}/./b`));
    expect(end).toMatchObject({ outcome: { output: { result_summary: { source: `${near}/a/x`, destination: `${near}/b` } } } });
  });

  it('answers an unknown capability with UNSUPPORTED_CAPABILITY', { tags: ['FE-06', 'FE-40'] }, async () => {
    for (const id of ['FILE_WRITE', 'file_move', '']) expect(await ending(deliver(files.executor, fileTask(id, {})))).toMatch(/^UNSUPPORTED_CAPABILITY: /);
  });
});

describe('the gate', () => {
  it('is asked before anything is done; its refusal is the answer and nothing has changed', { tags: ['FE-01', 'FE-41', 'FE-42', 'FE-51'] }, async () => {
    const { near, far } = await files.room();
    const source = await put(near, 'a', 'one');
    for (const code of ['INVALID_LEASE', 'LEASE_EXPIRED'] as const) {
      for (const task of [moveTask(source, `${near}/b`), moveTask(source, `${far}/b`), copyTask(source, `${near}/b`), deleteTask(source)]) {
        const gate = context({ gate: () => ({ kind: 'outcome', outcome: failure(code, 'no') }) });
        expect(await ending(deliver(files.executor, task, { context: gate }))).toBe(`${code}: no`);
        expect((await files.rig.journal.view(task.manifest.task_id)).attempts).toBe(0);
      }
    }
    expect([await contents(near), await contents(far)]).toEqual([{ a: 'one' }, {}]);
  });
});

describe('output', () => {
  it('has task_id, capability_id and a structured summary, the same for the same files', { tags: ['FE-46', 'FE-47', 'FE-48', 'FE-50'] }, async () => {
    const { near, far } = await files.room();
    for (const [round, run] of [
      async () => deliver(files.executor, moveTask(await put(near, 'a'), `${near}/b`, { id: 'out-move' })),
      async () => deliver(files.executor, copyTask(await put(near, 'c'), `${far}/d`, { id: 'out-copy' })),
      async () => deliver(files.executor, deleteTask(await put(near, 'e'), { id: 'out-delete' })),
    ].entries()) {
      const end = await run();
      const output = end.kind === 'outcome' ? end.outcome.output : undefined;
      expect(output).toMatchObject({
        task_id: expect.stringMatching(/^out-/),
        capability_id: ['FILE_MOVE', 'FILE_COPY', 'FILE_DELETE'][round],
        result_summary: { bytes: 12 },
      });
      // No time in any form. The ids are fixed, since digits of random ones may look like one.
      expect(JSON.stringify(output)).not.toMatch(/20\d\d-|\d{13}/);
    }
  });

  it('names the content hash where the bytes were read anyway', async () => {
    const { near, far } = await files.room();
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(await deliver(files.executor, copyTask(await put(near, 'a', 'abc'), `${near}/b`))).toMatchObject({
      outcome: { output: { result_summary: { sha256 } } },
    });
    expect(await deliver(files.executor, moveTask(`${near}/a`, `${far}/a`))).toMatchObject({ outcome: { output: { result_summary: { sha256 } } } });
    expect(JSON.stringify(await deliver(files.executor, moveTask(`${near}/b`, `${near}/c`)))).not.toContain('sha256');
  });
});
