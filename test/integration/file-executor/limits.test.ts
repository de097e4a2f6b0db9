import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../src/core/outcome.ts';
import { contents, context, copyTask, createFileRig, deleteTask, deliver, ending, moveTask, put, SimulatedCrash } from '../../support/file-executor.ts';
import { withFaults } from './faults.ts';
import { useFileRig } from './fixture.ts';

const files = useFileRig();

const limits = { maxRunMs: 1000, maxBytes: 1024 ** 3, hashMaxBytes: 1024 ** 3, vaultQuotaBytes: 1024 ** 3 };

describe('limits', () => {
  it('refuses to copy more than maxBytes, but renames any size', { tags: ['FE-44'] }, async () => {
    const { near, far } = await files.room();
    const executor = await files.rig.executor({ limits: { ...limits, maxBytes: 10 } });
    const source = await put(near, 'a', 'eleven byte');
    for (const task of [copyTask(source, `${near}/b`), moveTask(source, `${far}/b`)]) {
      expect(await ending(deliver(executor, task))).toBe('RESOURCE_EXHAUSTED: the source is larger than 10 bytes');
    }
    expect(await ending(deliver(executor, moveTask(source, `${near}/b`)))).toBe('SUCCESS');
    expect(await contents(far)).toEqual({});
  });

  it('answers a full disk with RESOURCE_EXHAUSTED and removes its temporary file', { tags: ['FE-44'] }, async () => {
    const { near, far } = await files.room();
    for (const step of ['createFile', 'copyTo', 'syncFile'] as const) {
      let armed = false;
      const executor = await files.rig.executor({
        fileSystem: withFaults(files.rig.fileSystem, (operation) => (armed && operation === step ? 'no-space' : undefined)),
      });
      armed = true;
      const source = await put(near, 'a', 'one');
      for (const task of [copyTask(source, `${far}/b`), moveTask(source, `${far}/b`)])
        expect(await ending(deliver(executor, task))).toMatch(/^RESOURCE_EXHAUSTED: .*no room left/);
      expect([await contents(near), await contents(far)]).toEqual([{ a: 'one' }, {}]);
      await executor.stop();
    }
  });

  it('looks at the free space before it begins', { tags: ['FE-44'] }, async () => {
    const { near, far } = await files.room();
    const real = files.rig.fileSystem;
    const full = {
      level: real.level,
      async openBase(id: string, path: string) {
        const base = await real.openBase(id, path);
        return {
          id,
          path,
          identity: base.identity,
          mount: base.mount,
          standing: () => base.standing(),
          directory: (s: readonly string[]) => base.directory(s),
          freeBytes: async () => 2,
          close: () => base.close(),
        };
      },
    };
    const executor = await files.rig.executor({ fileSystem: full });
    const task = copyTask(await put(near, 'a', 'one'), `${far}/b`);
    expect(await ending(deliver(executor, task))).toMatch(/^RESOURCE_EXHAUSTED: the destination has no room left/);
    expect((await files.rig.journal.view(task.manifest.task_id)).attempts).toBe(0);
  });

  it('keeps the vault of each base within its quota; the file stays; undo makes room again', { tags: ['FE-44'] }, async () => {
    const own = await createFileRig();
    const executor = await own.executor({ limits: { ...limits, vaultQuotaBytes: 10 } });
    const [a, b] = [await put(own.near, 'a', 'six by'), await put(own.near, 'b', 'six by')];
    const first = deleteTask(a);
    const done = await deliver(executor, first);
    expect(await ending(deliver(executor, deleteTask(b)))).toMatch(/^RESOURCE_EXHAUSTED: the vault is full/);
    expect(await contents(own.near)).toMatchObject({ b: 'six by' });
    // Another base has a vault of its own.
    expect(await ending(deliver(executor, deleteTask(await put(own.next, 'c', 'six by'))))).toBe('SUCCESS');
    // A move across file systems keeps its source in the vault too.
    expect(await ending(deliver(executor, moveTask(b, `${own.far}/b`)))).toMatch(/^RESOURCE_EXHAUSTED: the vault is full/);
    expect(await contents(own.near)).toMatchObject({ b: 'six by' });
    const recovery = done.kind === 'outcome' ? /"recovery_path":"([^"]+)"/.exec(done.text)?.[1] : undefined;
    expect(await ending(deliver(executor, moveTask(recovery ?? '', a, { undoOf: first.manifest.task_id })))).toBe('SUCCESS');
    expect(await ending(deliver(executor, deleteTask(b)))).toBe('SUCCESS');
    await own.close();
  });
});

describe('hashes', () => {
  it('are left out above hashMaxBytes, by the size alone, also after a crash', { tags: ['FE-50'] }, async () => {
    const { near, far } = await files.room();
    const crashing = await files.rig.executor({
      limits: { ...limits, hashMaxBytes: 3 },
      onPoint: (point, taskId) => {
        if (taskId.startsWith('crash-') && point === 'C4') throw new SimulatedCrash();
      },
    });
    const executor = await files.rig.executor({ limits: { ...limits, hashMaxBytes: 3 } });
    for (const [name, text] of Object.entries({ small: 'abc', large: 'abcd' })) {
      const source = await put(near, name, text);
      const crashed = copyTask(source, `${far}/${name}-2`, { id: `crash-${randomUUID()}-${name}` });
      await expect(deliver(crashing, crashed)).rejects.toThrow(SimulatedCrash);
      for (const task of [copyTask(source, `${far}/${name}`), crashed]) {
        const end = await deliver(executor, task);
        expect(end).toMatchObject({ kind: 'outcome', outcome: { status: 'SUCCESS' } });
        expect(JSON.stringify(end).includes('sha256')).toBe(name === 'small');
      }
    }
  });
});

describe('a run that is told to stop', () => {
  const ENDS: Record<StopReason, string> = {
    cancelled: 'EXECUTION_FAILED: cancelled',
    timeout: 'RESOURCE_EXHAUSTED: the task ran longer than its wall-clock limit',
    'lock-lost': 'interrupted',
    shutdown: 'interrupted',
  };

  for (const [reason, end] of Object.entries(ENDS)) {
    it(`ends with '${end}' for the reason ${reason} before the intent, having done nothing`, async () => {
      const { near } = await files.room();
      const executor = await files.rig.executor();
      const stop = new AbortController();
      stop.abort(reason);
      const task = moveTask(await put(near, 'a', 'one'), `${near}/b`);
      expect(await ending(deliver(executor, task, { context: context({ signal: stop.signal }) }))).toBe(end);
      expect((await files.rig.journal.view(task.manifest.task_id)).attempts).toBe(0);
      expect(await contents(near)).toEqual({ a: 'one' });
    });

    it(`ends with '${end}' for the reason ${reason} during a copy, leaving no temporary file, and runs again later`, async () => {
      const { near, far } = await files.room();
      let stop = new AbortController();
      const executor = await files.rig.executor({
        onPoint: (point) => {
          if (point === 'C1') stop.abort(reason);
        },
      });
      const source = await put(near, 'a', 'one');
      for (const task of [copyTask(source, `${far}/b`), moveTask(source, `${far}/b`)]) {
        stop = new AbortController();
        expect(await ending(deliver(executor, task, { context: context({ signal: stop.signal }) }))).toBe(end);
        expect([await contents(near), await contents(far)]).toEqual([{ a: 'one' }, {}]);
        const { open, attempts } = await files.rig.journal.view(task.manifest.task_id);
        expect([attempts, open === undefined]).toEqual([1, end !== 'interrupted']);
      }
      // Whether the attempt was closed or left open: the next delivery does it.
      const again = copyTask(source, `${far}/b`);
      stop = new AbortController();
      expect(await ending(deliver(executor, again, { context: context({ signal: stop.signal }) }))).toBe(end);
      expect(await ending(deliver(executor, { ...again, epoch: 2 }))).toBe('SUCCESS');
      expect(await contents(far)).toEqual({ b: 'one' });
    });

    it(`completes an effect that is published, whatever ${reason} says`, async () => {
      const { near, far } = await files.room();
      const stop = new AbortController();
      const executor = await files.rig.executor({
        onPoint: (point) => {
          if (point === 'published') stop.abort(reason);
        },
      });
      const task = moveTask(await put(near, 'a', 'one'), `${far}/b`);
      expect(await ending(deliver(executor, task, { context: context({ signal: stop.signal }) }))).toBe('SUCCESS');
      expect([await contents(near), await contents(far)]).toEqual([{}, { b: 'one' }]);
    });
  }

  it('waits in stop() for a running effect', async () => {
    const { near, far } = await files.room();
    const executor = await files.rig.executor();
    const running = executor.execute(copyTask(await put(near, 'a', 'x'.repeat(4_000_000)), `${far}/b`), context());
    await executor.stop();
    expect(await running).toMatchObject({ kind: 'outcome', outcome: { status: 'SUCCESS' } });
  });
});
