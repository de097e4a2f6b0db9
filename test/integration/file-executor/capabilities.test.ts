import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { chmod, chown, link, readFile, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { contents, copyTask, deleteTask, deliver, ending, moveTask, put } from '../../support/file-executor.ts';
import { useFileRig } from './fixture.ts';

const files = useFileRig();

describe('FILE_MOVE', () => {
  it('moves a file within a base, between bases and across file systems', { tags: ['FE-03'] }, async () => {
    const { near, next, far } = await files.room();
    const source = await put(near, 'a', 'bytes');
    expect(await ending(deliver(files.executor, moveTask(source, `${near}/b`)))).toBe('SUCCESS');
    expect(await ending(deliver(files.executor, moveTask(`${near}/b`, `${next}/c`)))).toBe('SUCCESS');
    expect(await ending(deliver(files.executor, moveTask(`${next}/c`, `${far}/d`)))).toBe('SUCCESS');
    expect([await contents(near), await contents(next), await contents(far)]).toEqual([{}, {}, { d: 'bytes' }]);
  });

  it('renames on one file system: the inode stays', { tags: ['FE-27'] }, async () => {
    const { near, next } = await files.room();
    const before = await stat(await put(near, 'a'));
    await deliver(files.executor, moveTask(`${near}/a`, `${next}/a`));
    expect((await stat(`${next}/a`)).ino).toBe(before.ino);
  });

  it('keeps mode, owner and times, on another file system too', { tags: ['FE-11'] }, async () => {
    const { near, next, far } = await files.room();
    for (const [name, to] of Object.entries({ a: next, b: far })) {
      const source = await put(near, name);
      await chown(source, 1234, 2345);
      chmodSync(source, 0o640);
      utimesSync(source, 1_000_000_000, 1_100_000_000.123);
      const before = await stat(source, { bigint: true });
      expect(await ending(deliver(files.executor, moveTask(source, `${to}/${name}`)))).toBe('SUCCESS');
      const after = await stat(`${to}/${name}`, { bigint: true });
      const kept = ({ mode, uid, gid, atimeNs, mtimeNs }: typeof before): unknown[] => [mode, uid, gid, atimeNs, mtimeNs];
      expect(kept(after)).toEqual(kept(before));
    }
  });

  it('fails when the source does not exist', { tags: ['FE-25', 'FE-43'] }, async () => {
    const { near } = await files.room();
    expect(await ending(deliver(files.executor, moveTask(`${near}/none`, `${near}/b`)))).toBe('EXECUTION_FAILED: the source does not exist');
    expect(await ending(deliver(files.executor, moveTask(`${near}/none/deeper`, `${near}/b`)))).toBe("EXECUTION_FAILED: the source's directory does not exist");
  });

  it('never overwrites: an existing destination fails, both files stay', { tags: ['FE-26'] }, async () => {
    const { near, far } = await files.room();
    await put(near, 'a', 'one');
    for (const existing of [await put(near, 'b', 'two'), await put(far, 'b', 'two')]) {
      expect(await ending(deliver(files.executor, moveTask(`${near}/a`, existing)))).toBe('EXECUTION_FAILED: the destination exists');
      expect(await readFile(existing, 'utf8')).toBe('two');
      expect(await readFile(`${near}/a`, 'utf8')).toBe('one');
    }
  });

  it('never overwrites what appears between its look and its rename', { tags: ['FE-26'] }, async () => {
    const { near, next, far } = await files.room();
    for (const [index, to] of [near, next, far].entries()) {
      const source = await put(near, `a${index}`, 'one');
      const destination = `${to}/b${index}`;
      const sync = await files.rig.executor({
        onPoint: (point) => {
          if (point === (to === far ? 'sealed' : 'intent')) writeFileSync(destination, 'two');
        },
      });
      expect(await ending(deliver(sync, moveTask(source, destination)))).toBe('EXECUTION_FAILED: the destination exists');
      expect([await readFile(source, 'utf8'), await readFile(destination, 'utf8')]).toEqual(['one', 'two']);
      await sync.stop();
    }
  });

  it('lets exactly one of many movers have a destination', { tags: ['FE-26'] }, async () => {
    const { near } = await files.room();
    const sources = await Promise.all(Array.from({ length: 12 }, (_, index) => put(near, `a${index}`, `bytes ${index}`)));
    const ends = await Promise.all(sources.map((source) => ending(deliver(files.executor, moveTask(source, `${near}/to`)))));
    expect(ends.filter((end) => end === 'SUCCESS')).toHaveLength(1);
    expect(ends.filter((end) => end === 'EXECUTION_FAILED: the destination exists')).toHaveLength(11);
    expect(Object.values(await contents(near)).sort()).toEqual(sources.map((_, index) => `bytes ${index}`).sort());
  });

  it('captures the original location as undo metadata', { tags: ['FE-28', 'FE-49'] }, async () => {
    const { near } = await files.room();
    const source = await put(near, 'a');
    const end = await deliver(files.executor, moveTask(source, `${near}/b`));
    expect(end).toMatchObject({ outcome: { output: { undo_metadata: { original_path: source } } } });
  });

  it('refuses to break hard links, setuid and extended attributes by a move to another file system', async () => {
    const { near, far } = await files.room();
    const linked = await put(near, 'linked');
    await link(linked, `${near}/other-name`);
    expect(await ending(deliver(files.executor, moveTask(linked, `${far}/a`)))).toMatch(/^EXECUTION_FAILED: the source has hard links/);
    const setuid = await put(near, 'setuid');
    await chmod(setuid, 0o4755);
    expect(await ending(deliver(files.executor, moveTask(setuid, `${far}/b`)))).toMatch(/^EXECUTION_FAILED: the source has setuid/);
    expect(await contents(far)).toEqual({});
    // A rename keeps all of that.
    expect(await ending(deliver(files.executor, moveTask(linked, `${near}/linked-2`)))).toBe('SUCCESS');
    expect(await ending(deliver(files.executor, moveTask(setuid, `${near}/setuid-2`)))).toBe('SUCCESS');
    expect((await stat(`${near}/setuid-2`)).mode & 0o7777).toBe(0o4755);
  });
});

describe('FILE_COPY', () => {
  it('copies bytes and keeps the source, within and across file systems', { tags: ['FE-04', 'FE-29'] }, async () => {
    const { near, far } = await files.room();
    const bytes = 'x'.repeat(3 * 1024 * 1024 + 17);
    const source = await put(near, 'a', bytes);
    for (const to of [`${near}/b`, `${far}/b`]) {
      expect(await ending(deliver(files.executor, copyTask(source, to)))).toBe('SUCCESS');
      expect(await readFile(to, 'utf8')).toBe(bytes);
    }
    expect(await readFile(source, 'utf8')).toBe(bytes);
    await put(near, 'empty', '');
    expect(await ending(deliver(files.executor, copyTask(`${near}/empty`, `${near}/empty-2`)))).toBe('SUCCESS');
    expect((await stat(`${near}/empty-2`)).size).toBe(0);
  });

  it('fails when the source does not exist', { tags: ['FE-30'] }, async () => {
    const { near } = await files.room();
    expect(await ending(deliver(files.executor, copyTask(`${near}/none`, `${near}/b`)))).toBe('EXECUTION_FAILED: the source does not exist');
  });

  it('never overwrites, also what appears while it copies', { tags: ['FE-31'] }, async () => {
    const { near } = await files.room();
    const [source, existing] = [await put(near, 'a', 'one'), await put(near, 'b', 'two')];
    expect(await ending(deliver(files.executor, copyTask(source, existing)))).toBe('EXECUTION_FAILED: the destination exists');
    const racing = await files.rig.executor({
      onPoint: (point) => {
        if (point === 'sealed') writeFileSync(`${near}/c`, 'three');
      },
    });
    expect(await ending(deliver(racing, copyTask(source, `${near}/c`)))).toBe('EXECUTION_FAILED: the destination exists');
    await racing.stop();
    expect(await contents(near)).toEqual({ a: 'one', b: 'two', c: 'three' });
  });

  it('carries no undo metadata', { tags: ['FE-32'] }, async () => {
    const { near } = await files.room();
    const end = await deliver(files.executor, copyTask(await put(near, 'a'), `${near}/b`));
    expect(end).toMatchObject({ outcome: { status: 'SUCCESS' } });
    expect(JSON.stringify(end)).not.toContain('undo_metadata');
  });

  it('makes a new file of the worker: permissions through the umask, no set-id bits, its own times', async () => {
    const { near } = await files.room();
    const source = await put(near, 'a');
    await chown(source, 1234, 2345);
    await chmod(source, 0o6777);
    utimesSync(source, 1_000_000_000, 1_000_000_000);
    const careful = await files.rig.executor({ umask: 0o027 });
    expect(await ending(deliver(careful, copyTask(source, `${near}/b`)))).toBe('SUCCESS');
    await careful.stop();
    const copy = await stat(`${near}/b`);
    expect([copy.mode & 0o7777, copy.uid, copy.gid]).toEqual([0o750, process.getuid?.(), process.getgid?.()]);
    expect(copy.mtimeMs).toBeGreaterThan(1_500_000_000_000);
  });

  it('fails, leaving nothing behind, when the source is written to meanwhile', async () => {
    const { near } = await files.room();
    const source = await put(near, 'a', 'one');
    const racing = await files.rig.executor({
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
  it('removes the file, and keeps its bytes under a recovery reference', { tags: ['FE-05', 'FE-33', 'FE-36', 'FE-49'] }, async () => {
    const { near } = await files.room();
    const source = await put(near, 'a', 'precious');
    const end = await deliver(files.executor, deleteTask(source));
    expect(end).toMatchObject({ outcome: { status: 'SUCCESS', output: { result_summary: { source, bytes: 8 }, undo_metadata: { original_path: source } } } });
    expect(await contents(near)).toEqual({});
    const recovery = end.kind === 'outcome' && /"recovery_path":"([^"]+)"/.exec(end.text)?.[1];
    expect(await readFile(String(recovery), 'utf8')).toBe('precious');
  });

  it('is refused without reversible: true, the file intact', { tags: ['FE-34', 'FE-35'] }, async () => {
    const { near } = await files.room();
    const source = await put(near, 'a', 'precious');
    for (const constraints of [{}, { reversible: false }]) {
      expect(await ending(deliver(files.executor, deleteTask(source, { constraints })))).toMatch(/^EXECUTION_FAILED: constraints\.reversible/);
    }
    expect(await contents(near)).toEqual({ a: 'precious' });
  });
});
