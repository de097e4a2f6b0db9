import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { chmod, chown, link, lstat, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../../../src/core/outcome.ts';
import type { FileExecutor } from '../../../src/executors/file/index.ts';
import { contents, context, copyTask, createFileRig, deleteTask, deliver, ending, type FileRig, fileTask, moveTask, put } from '../../support/file-executor.ts';

let rig: FileRig;
let executor: FileExecutor;
let made = 0;
beforeAll(async () => {
  rig = await createFileRig();
  executor = await rig.executor();
});
afterAll(() => rig.close());

/** A directory of one test's own in each base. */
async function room(): Promise<{ near: string; next: string; far: string; dir: string }> {
  made += 1;
  const dir = `room-${made}`;
  for (const base of [rig.near, rig.next, rig.far]) await mkdir(`${base}/${dir}`);
  return { near: `${rig.near}/${dir}`, next: `${rig.next}/${dir}`, far: `${rig.far}/${dir}`, dir };
}

describe('FILE_MOVE', () => {
  it('moves a file within a base, between bases and across file systems [FE-03]', async () => {
    const { near, next, far } = await room();
    const source = await put(near, 'a', 'bytes');
    expect(await ending(deliver(executor, moveTask(source, `${near}/b`)))).toBe('SUCCESS');
    expect(await ending(deliver(executor, moveTask(`${near}/b`, `${next}/c`)))).toBe('SUCCESS');
    expect(await ending(deliver(executor, moveTask(`${next}/c`, `${far}/d`)))).toBe('SUCCESS');
    expect([await contents(near), await contents(next), await contents(far)]).toEqual([{}, {}, { d: 'bytes' }]);
  });

  it('renames on one file system: the inode stays [FE-27]', async () => {
    const { near, next } = await room();
    const before = await stat(await put(near, 'a'));
    await deliver(executor, moveTask(`${near}/a`, `${next}/a`));
    expect((await stat(`${next}/a`)).ino).toBe(before.ino);
  });

  it('keeps mode, owner and times, on another file system too [FE-11]', async () => {
    const { near, next, far } = await room();
    for (const [name, to] of Object.entries({ a: next, b: far })) {
      const source = await put(near, name);
      await chown(source, 1234, 2345);
      chmodSync(source, 0o640);
      utimesSync(source, 1_000_000_000, 1_100_000_000.123);
      const before = await stat(source, { bigint: true });
      expect(await ending(deliver(executor, moveTask(source, `${to}/${name}`)))).toBe('SUCCESS');
      const after = await stat(`${to}/${name}`, { bigint: true });
      expect([after.mode, after.uid, after.gid, after.mtimeNs]).toEqual([before.mode, before.uid, before.gid, before.mtimeNs]);
    }
  });

  it('fails when the source does not exist [FE-25] [FE-43]', async () => {
    const { near } = await room();
    expect(await ending(deliver(executor, moveTask(`${near}/none`, `${near}/b`)))).toBe('EXECUTION_FAILED: the source does not exist');
    expect(await ending(deliver(executor, moveTask(`${near}/none/deeper`, `${near}/b`)))).toBe("EXECUTION_FAILED: the source's directory does not exist");
  });

  it('never overwrites: an existing destination fails, both files stay [FE-26]', async () => {
    const { near, far } = await room();
    await put(near, 'a', 'one');
    for (const existing of [await put(near, 'b', 'two'), await put(far, 'b', 'two')]) {
      expect(await ending(deliver(executor, moveTask(`${near}/a`, existing)))).toBe('EXECUTION_FAILED: the destination exists');
      expect(await readFile(existing, 'utf8')).toBe('two');
      expect(await readFile(`${near}/a`, 'utf8')).toBe('one');
    }
  });

  it('never overwrites what appears between its look and its rename [FE-26]', async () => {
    const { near, next, far } = await room();
    for (const [index, to] of [near, next, far].entries()) {
      const source = await put(near, `a${index}`, 'one');
      const destination = `${to}/b${index}`;
      const sync = await rig.executor({
        onPoint: (point) => {
          if (point === (to === far ? 'sealed' : 'intent')) writeFileSync(destination, 'two');
        },
      });
      expect(await ending(deliver(sync, moveTask(source, destination)))).toBe('EXECUTION_FAILED: the destination exists');
      expect([await readFile(source, 'utf8'), await readFile(destination, 'utf8')]).toEqual(['one', 'two']);
      await sync.stop();
    }
  });

  it('lets exactly one of many movers have a destination [FE-26]', async () => {
    const { near } = await room();
    const sources = await Promise.all(Array.from({ length: 12 }, (_, index) => put(near, `a${index}`, `bytes ${index}`)));
    const ends = await Promise.all(sources.map((source) => ending(deliver(executor, moveTask(source, `${near}/to`)))));
    expect(ends.filter((end) => end === 'SUCCESS')).toHaveLength(1);
    expect(ends.filter((end) => end === 'EXECUTION_FAILED: the destination exists')).toHaveLength(11);
    expect(Object.values(await contents(near)).sort()).toEqual(sources.map((_, index) => `bytes ${index}`).sort());
  });

  it('captures the original location as undo metadata [FE-28] [FE-49]', async () => {
    const { near } = await room();
    const source = await put(near, 'a');
    const end = await deliver(executor, moveTask(source, `${near}/b`));
    expect(end).toMatchObject({ outcome: { output: { undo_metadata: { original_path: source } } } });
  });

  it('refuses to break hard links, setuid and extended attributes by a move to another file system', async () => {
    const { near, far } = await room();
    const linked = await put(near, 'linked');
    await link(linked, `${near}/other-name`);
    expect(await ending(deliver(executor, moveTask(linked, `${far}/a`)))).toMatch(/^EXECUTION_FAILED: the source has hard links/);
    const setuid = await put(near, 'setuid');
    await chmod(setuid, 0o4755);
    expect(await ending(deliver(executor, moveTask(setuid, `${far}/b`)))).toMatch(/^EXECUTION_FAILED: the source has setuid/);
    expect(await contents(far)).toEqual({});
    // A rename keeps all of that.
    expect(await ending(deliver(executor, moveTask(linked, `${near}/linked-2`)))).toBe('SUCCESS');
    expect(await ending(deliver(executor, moveTask(setuid, `${near}/setuid-2`)))).toBe('SUCCESS');
    expect((await stat(`${near}/setuid-2`)).mode & 0o7777).toBe(0o4755);
  });
});

describe('FILE_COPY', () => {
  it('copies bytes and keeps the source, within and across file systems [FE-04] [FE-29]', async () => {
    const { near, far } = await room();
    const bytes = 'x'.repeat(3 * 1024 * 1024 + 17);
    const source = await put(near, 'a', bytes);
    for (const to of [`${near}/b`, `${far}/b`]) {
      expect(await ending(deliver(executor, copyTask(source, to)))).toBe('SUCCESS');
      expect(await readFile(to, 'utf8')).toBe(bytes);
    }
    expect(await readFile(source, 'utf8')).toBe(bytes);
    await put(near, 'empty', '');
    expect(await ending(deliver(executor, copyTask(`${near}/empty`, `${near}/empty-2`)))).toBe('SUCCESS');
    expect((await stat(`${near}/empty-2`)).size).toBe(0);
  });

  it('fails when the source does not exist [FE-30]', async () => {
    const { near } = await room();
    expect(await ending(deliver(executor, copyTask(`${near}/none`, `${near}/b`)))).toBe('EXECUTION_FAILED: the source does not exist');
  });

  it('never overwrites, also what appears while it copies [FE-31]', async () => {
    const { near } = await room();
    const [source, existing] = [await put(near, 'a', 'one'), await put(near, 'b', 'two')];
    expect(await ending(deliver(executor, copyTask(source, existing)))).toBe('EXECUTION_FAILED: the destination exists');
    const racing = await rig.executor({
      onPoint: (point) => {
        if (point === 'sealed') writeFileSync(`${near}/c`, 'three');
      },
    });
    expect(await ending(deliver(racing, copyTask(source, `${near}/c`)))).toBe('EXECUTION_FAILED: the destination exists');
    await racing.stop();
    expect(await contents(near)).toEqual({ a: 'one', b: 'two', c: 'three' });
  });

  it('carries no undo metadata [FE-32]', async () => {
    const { near } = await room();
    const end = await deliver(executor, copyTask(await put(near, 'a'), `${near}/b`));
    expect(end).toMatchObject({ outcome: { status: 'SUCCESS' } });
    expect(JSON.stringify(end)).not.toContain('undo_metadata');
  });

  it('makes a new file of the worker: permissions through the umask, no set-id bits, its own times', async () => {
    const { near } = await room();
    const source = await put(near, 'a');
    await chown(source, 1234, 2345);
    await chmod(source, 0o6777);
    utimesSync(source, 1_000_000_000, 1_000_000_000);
    const careful = await rig.executor({ umask: 0o027 });
    expect(await ending(deliver(careful, copyTask(source, `${near}/b`)))).toBe('SUCCESS');
    await careful.stop();
    const copy = await stat(`${near}/b`);
    expect([copy.mode & 0o7777, copy.uid, copy.gid]).toEqual([0o750, process.getuid?.(), process.getgid?.()]);
    expect(copy.mtimeMs).toBeGreaterThan(1_500_000_000_000);
  });

  it('fails, leaving nothing behind, when the source is written to meanwhile', async () => {
    const { near } = await room();
    const source = await put(near, 'a', 'one');
    const racing = await rig.executor({
      onPoint: (point) => {
        if (point === 'C2') writeFileSync(source, 'other bytes');
      },
    });
    expect(await ending(deliver(racing, copyTask(source, `${near}/b`)))).toBe('EXECUTION_FAILED: the source changed while it was copied');
    await racing.stop();
    expect(await contents(near)).toEqual({ a: 'other bytes' });
  });
});

describe('FILE_DELETE', () => {
  it('removes the file, and keeps its bytes under a recovery reference [FE-05] [FE-33] [FE-36] [FE-49]', async () => {
    const { near } = await room();
    const source = await put(near, 'a', 'precious');
    const end = await deliver(executor, deleteTask(source));
    expect(end).toMatchObject({ outcome: { status: 'SUCCESS', output: { result_summary: { source, bytes: 8 }, undo_metadata: { original_path: source } } } });
    expect(await contents(near)).toEqual({});
    const recovery = end.kind === 'outcome' && /"recovery_path":"([^"]+)"/.exec(end.text)?.[1];
    expect(await readFile(String(recovery), 'utf8')).toBe('precious');
  });

  it('is refused without reversible: true, the file intact [FE-34] [FE-35]', async () => {
    const { near } = await room();
    const source = await put(near, 'a', 'precious');
    for (const constraints of [{}, { reversible: false }]) {
      expect(await ending(deliver(executor, deleteTask(source, { constraints })))).toMatch(/^EXECUTION_FAILED: constraints\.reversible/);
    }
    expect(await contents(near)).toEqual({ a: 'precious' });
  });
});

describe('what is not a regular file', () => {
  it('refuses directories as source and as destination [FE-02] [FE-08] [FE-17]', async () => {
    const { near } = await room();
    await mkdir(`${near}/dir`);
    await put(near, 'dir/inside', 'kept');
    const file = await put(near, 'a');
    const ends = await Promise.all([
      ending(deliver(executor, moveTask(`${near}/dir`, `${near}/b`))),
      ending(deliver(executor, copyTask(`${near}/dir`, `${near}/b`))),
      ending(deliver(executor, deleteTask(`${near}/dir`))),
      ending(deliver(executor, moveTask(file, `${near}/dir`))),
      ending(deliver(executor, copyTask(file, `${near}/dir`))),
    ]);
    for (const end of ends) expect(end).toMatch(/^EXECUTION_FAILED: .* is a directory/);
    expect(await contents(near)).toEqual({ a: 'content of a', 'dir/inside': 'kept' });
  });

  it('does not follow symbolic links: as source, as destination, as a parent [FE-09]', async () => {
    const { near, next } = await room();
    const outside = await put(rig.directory, 'outside/secret', 'secret');
    await put(next, 'target', 'target');
    await symlink(outside, `${near}/link`);
    await symlink(`${next}/target`, `${near}/inside-link`);
    await symlink(`${near}/nowhere`, `${near}/dangling`);
    await symlink(`${rig.directory}/outside`, `${near}/dir-link`);
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
    for (const task of refused) expect(await ending(deliver(executor, task))).toMatch(/^EXECUTION_FAILED: .*symbolic link/);
    expect(await readFile(outside, 'utf8')).toBe('secret');
    expect((await lstat(`${near}/dangling`)).isSymbolicLink()).toBe(true);
    expect(await readFile(file, 'utf8')).toBe('one');
  });
});

describe('boundaries', () => {
  it('refuses sources and destinations outside of the base directories, and says nothing of what is there [FE-12] [FE-23]', async () => {
    const { near } = await room();
    const file = await put(near, 'a');
    const outside = await put(rig.directory, 'elsewhere/x', 'foreign');
    const [there, notThere] = [
      await ending(deliver(executor, copyTask(outside, `${near}/b`))),
      await ending(deliver(executor, copyTask(`${outside}-no`, `${near}/b`))),
    ];
    expect(there).toMatch(/^EXECUTION_FAILED: inputs\.source_path must lie below a configured base directory/);
    expect(notThere.replace('-no', '')).toBe(there);
    expect(await ending(deliver(executor, moveTask(file, `${rig.directory}/elsewhere/y`)))).toMatch(/^EXECUTION_FAILED: inputs\.destination_path/);
    expect(await contents(`${rig.directory}/elsewhere`)).toEqual({ x: 'foreign' });
  });

  it('refuses everything without base directories [FE-19]', async () => {
    const { near } = await room();
    const file = await put(near, 'a');
    const none = await rig.executor({ bases: [] });
    for (const task of [moveTask(file, `${near}/b`), copyTask(file, `${near}/b`), deleteTask(file)])
      expect(await ending(deliver(none, task))).toMatch(/^EXECUTION_FAILED: /);
    expect(await contents(near)).toEqual({ a: 'content of a' });
  });

  it('takes shell words in a path literally [FE-07]', async () => {
    const { near } = await room();
    const source = await put(near, 'a; rm -rf $(pwd) && `reboot` | x', 'kept');
    expect(await ending(deliver(executor, moveTask(source, `${near}/$HOME; rm b`)))).toBe('SUCCESS');
    expect(await contents(near)).toEqual({ '$HOME; rm b': 'kept' });
  });

  it('uses the normalized path [FE-18]', async () => {
    const { near } = await room();
    await put(near, 'a/x', 'one');
    const end = await deliver(executor, copyTask(`${near}//a/./x`, `${near}/./b`));
    expect(end).toMatchObject({ outcome: { output: { result_summary: { source: `${near}/a/x`, destination: `${near}/b` } } } });
  });

  it('answers an unknown capability with UNSUPPORTED_CAPABILITY [FE-06] [FE-40]', async () => {
    for (const id of ['FILE_WRITE', 'file_move', '']) expect(await ending(deliver(executor, fileTask(id, {})))).toMatch(/^UNSUPPORTED_CAPABILITY: /);
  });
});

describe('the gate', () => {
  it('is asked before anything is done; its refusal is the answer and nothing has changed [FE-01] [FE-41] [FE-42] [FE-51]', async () => {
    const { near, far } = await room();
    const source = await put(near, 'a', 'one');
    for (const code of ['INVALID_LEASE', 'LEASE_EXPIRED'] as const) {
      for (const task of [moveTask(source, `${near}/b`), moveTask(source, `${far}/b`), copyTask(source, `${near}/b`), deleteTask(source)]) {
        const gate = context({ gate: () => ({ kind: 'outcome', outcome: failure(code, 'no') }) });
        expect(await ending(deliver(executor, task, { context: gate }))).toBe(`${code}: no`);
        expect((await rig.journal.view(task.manifest.task_id)).attempts).toBe(0);
      }
    }
    expect([await contents(near), await contents(far)]).toEqual([{ a: 'one' }, {}]);
  });
});

describe('output', () => {
  it('has task_id, capability_id and a structured summary, the same for the same files [FE-46] [FE-47] [FE-48] [FE-50]', async () => {
    const { near, far } = await room();
    for (const [round, run] of [
      async () => deliver(executor, moveTask(await put(near, 'a'), `${near}/b`, { id: `out-move-${made}` })),
      async () => deliver(executor, copyTask(await put(near, 'c'), `${far}/d`, { id: `out-copy-${made}` })),
      async () => deliver(executor, deleteTask(await put(near, 'e'), { id: `out-delete-${made}` })),
    ].entries()) {
      const end = await run();
      const output = end.kind === 'outcome' ? end.outcome.output : undefined;
      expect(output).toMatchObject({
        task_id: expect.stringMatching(/^out-/),
        capability_id: ['FILE_MOVE', 'FILE_COPY', 'FILE_DELETE'][round],
        result_summary: { bytes: 12 },
      });
      expect(JSON.stringify(output)).not.toMatch(/20\d\d-|\d{13}/);
    }
  });

  it('names the content hash where the bytes were read anyway', async () => {
    const { near, far } = await room();
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(await deliver(executor, copyTask(await put(near, 'a', 'abc'), `${near}/b`))).toMatchObject({ outcome: { output: { result_summary: { sha256 } } } });
    expect(await deliver(executor, moveTask(`${near}/a`, `${far}/a`))).toMatchObject({ outcome: { output: { result_summary: { sha256 } } } });
    expect(JSON.stringify(await deliver(executor, moveTask(`${near}/b`, `${near}/c`)))).not.toContain('sha256');
  });
});
