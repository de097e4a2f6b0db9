import { describe, expect, it, vi } from 'vitest';
import { failure } from '../../../../../src/core/outcome.ts';
import { undoIdOf } from '../../../../../src/surfaces/shared/tasks/undo.ts';
import { PATIENCE } from '../../../../support/patience.ts';
import { createWorld } from '../world.ts';

describe('writ result', () => {
  it('shows the last outcome and exits by it', async () => {
    const world = await createWorld();
    await world.push(world.manifest('good'));
    await world.work('good');
    await world.push(world.manifest('bad'));
    await world.work('bad', failure('EXECUTION_FAILED', 'the source does not exist'));
    expect(await world.cli(['result', 'good', '--json'])).toMatchObject({ code: 0, lines: [{ task_id: 'good', state: 'success', from: 'ledger' }] });
    expect(await world.cli(['result', 'bad'])).toMatchObject({ code: 1, out: expect.stringContaining('FAILURE EXECUTION_FAILED: the source does not exist') });
  });

  it('verifies the signature of a success and of a failure, and refuses a forged result', async () => {
    const world = await createWorld();
    await world.push(world.manifest('good'));
    await world.work('good');
    await world.push(world.manifest('bad', { capability_id: 'FILE_MOVE' }));
    await world.work('bad', failure('EXECUTION_FAILED', 'no'));
    expect((await world.cli(['result', 'good', '--verify', '--json'])).lines[0]).toMatchObject({ verified: true });
    world.forget('bad');
    expect((await world.cli(['result', 'bad', '--verify', '--json'])).lines[0]).toMatchObject({ verified: true });

    const row = await world.tasks.ledger.row('good');
    const forged = {
      ...world.tasks,
      ledger: { ...world.tasks.ledger, row: async () => row && { ...row, result: row.result?.replace('FILE_COPY', 'FILE_MOVE') } },
    };
    const said = await world.cli(['result', 'good', '--verify'], '', { tasks: async () => forged });
    expect(said).toMatchObject({ code: 1, out: expect.stringContaining('DOES NOT VERIFY'), err: expect.stringContaining('INVALID_RESULT') });
  });

  it('says waiting and running with their age and exits 3', async () => {
    const world = await createWorld();
    await world.push(world.manifest('w'));
    world.clock.ms += 90_000;
    expect(await world.cli(['result', 'w', '--json'])).toMatchObject({ code: 3, lines: [{ state: 'waiting' }] });
    await world.begin('w');
    world.clock.ms += 65_000;
    expect(await world.cli(['result', 'w'])).toMatchObject({ code: 3, out: expect.stringContaining('running for 1 min 5 s') });
  });

  it('takes the answer of a job that was refused before it touched the task', async () => {
    const world = await createWorld();
    await world.push(world.manifest('r'));
    await world.refuse('r', failure('INVALID_LEASE', 'the signature does not verify'));
    expect(await world.cli(['result', 'r', '--json'])).toMatchObject({
      code: 1,
      lines: [{ from: 'refusal', result: { error: { error_code: 'INVALID_LEASE' } } }],
    });
  });

  it('takes the journal where the ledger lost its row', async () => {
    const world = await createWorld();
    await world.push(world.manifest('j'));
    await world.work('j');
    const row = await world.tasks.ledger.row('j');
    const success = { taskId: 'j', manifestSha256: row?.manifestSha256 ?? '', result: row?.result ?? '' };
    const door = {
      ...world.tasks,
      ledger: { ...world.tasks.ledger, row: async () => undefined },
      enqueue: { ...world.tasks.enqueue, jobState: async () => undefined },
      journal: { view: async () => ({ attempts: 1, open: undefined, success: success as never, doubtful: undefined, trimmed: undefined }) },
    };
    expect(await world.cli(['result', 'j', '--json', '--verify'], '', { tasks: async () => door })).toMatchObject({
      code: 0,
      lines: [{ from: 'journal', verified: true }],
    });
  });

  it('answers NOT_FOUND for an unknown id and INVALID_ARGUMENT for what is none', async () => {
    const world = await createWorld();
    expect(await world.cli(['result', 'never', '--json'])).toMatchObject({ code: 1, lines: [{ error: { code: 'NOT_FOUND' } }] });
    expect(await world.cli(['result', '../x', '--json'])).toMatchObject({ code: 2, lines: [{ error: { code: 'INVALID_ARGUMENT', field: 'task_id' } }] });
  });
});

describe('writ retry', () => {
  it('runs a failed task again under its own lease while that lives', async () => {
    const world = await createWorld();
    await world.push(world.manifest('a'));
    await world.work('a', failure('EXECUTION_FAILED', 'no room'));
    world.onPush = (taskId) => void world.work(taskId);
    expect(await world.cli(['retry', 'a', '--wait', '--json'])).toMatchObject({ code: 0, lines: [{ retried: true, regranted: false, state: 'success' }] });
    expect(world.asked.regrant).toBe(0);
  });

  it('asks the kernel for a new lease when the old one has expired, unless told not to', async () => {
    const world = await createWorld();
    await world.push(world.manifest('a'), 10);
    await world.work('a', failure('LEASE_EXPIRED', 'late'));
    world.clock.ms += 60_000;
    expect(await world.cli(['retry', 'a', '--no-regrant'])).toMatchObject({ code: 1, err: expect.stringContaining('--regrant') });
    expect(await world.cli(['retry', 'a'], '', { regrantByDefault: false })).toMatchObject({ code: 1, err: expect.stringContaining('LEASE_EXPIRED') });
    expect(await world.cli(['retry', 'a', '--regrant', '--json'], '', { regrantByDefault: false })).toMatchObject({ code: 0, lines: [{ regranted: true }] });
    expect(world.asked.regrant).toBe(1);
  });

  it('says what stands in the way', async () => {
    const world = await createWorld();
    await world.push(world.manifest('done'));
    await world.work('done');
    await world.push(world.manifest('waiting'));
    await world.push(world.manifest('old'));
    await world.work('old', failure('EXECUTION_FAILED', 'no'));
    world.forget('old');
    expect((await world.cli(['retry', 'done'])).err).toContain('has succeeded; there is nothing to retry (WRONG_STATE)');
    expect((await world.cli(['retry', 'waiting'])).err).toContain('has not failed: it is waiting (WRONG_STATE)');
    expect((await world.cli(['retry', 'old'])).err).toContain('push the same manifest again (NOT_FOUND)');
    expect((await world.cli(['retry', 'never'])).err).toContain('NOT_FOUND');
  });
});

describe('writ undo', () => {
  it('pushes what the kernel computed, and counts the earlier undos', async () => {
    const world = await createWorld();
    await world.push(world.manifest('a', { capability_id: 'FILE_MOVE' }));
    await world.work('a');
    for (const count of [0, 1]) {
      await world.push(world.manifest(undoIdOf('a', count)));
      await world.work(undoIdOf('a', count));
    }
    world.onPush = (taskId) => void world.work(taskId);
    expect(await world.cli(['undo', 'a', '--wait', '--json'])).toMatchObject({ code: 0, lines: [{ task_id: 'undo-a-2', undo_of: 'a', state: 'success' }] });
    expect(world.asked.undo).toEqual([{ taskId: 'a', earlierUndos: 2 }]);
  });

  it('finds the manifest in the issue log of the kernel when the job is gone', async () => {
    const world = await createWorld();
    await world.push(world.manifest('a', { capability_id: 'FILE_MOVE' }));
    await world.work('a');
    world.forget('a');
    expect((await world.cli(['undo', 'a'])).code).toBe(0);
  });

  it('refuses a task that has no standing effect', async () => {
    const world = await createWorld();
    await world.push(world.manifest('bad'));
    await world.work('bad', failure('EXECUTION_FAILED', 'no'));
    await world.push(world.manifest('waiting'));
    expect((await world.cli(['undo', 'bad'])).err).toContain('no effect to take back (WRONG_STATE)');
    expect((await world.cli(['undo', 'waiting'])).err).toContain('WRONG_STATE');
    expect((await world.cli(['undo', 'never'])).err).toContain('NOT_FOUND');
  });
});

describe('writ cancel', () => {
  it('waits until the worker has answered cancelled', async () => {
    const world = await createWorld();
    await world.push(world.manifest('a'));
    const cancelled = world.cli(['cancel', 'a', '--json']);
    await vi.waitFor(async () => expect(await world.tasks.ledger.row('a')).toMatchObject({ cancelRequested: true }), PATIENCE);
    await world.work('a');
    expect(await cancelled).toMatchObject({ code: 0, lines: [{ task_id: 'a', cancel: 'cancelled' }] });
  });

  it('says that it is only requested while no worker serves the task', async () => {
    const world = await createWorld();
    await world.push(world.manifest('a'));
    expect(await world.cli(['cancel', 'a', '--timeout', '0s'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('is requested: no worker has taken the task yet'),
    });
  });

  it('comes too late for a finished task', async () => {
    const world = await createWorld();
    await world.push(world.manifest('done'));
    await world.work('done');
    expect(await world.cli(['cancel', 'done', '--json'])).toMatchObject({ code: 1, lines: [{ error: { code: 'WRONG_STATE' } }] });
    expect(await world.cli(['cancel', 'never', '--json'])).toMatchObject({ code: 1, lines: [{ error: { code: 'NOT_FOUND' } }] });
    expect(await world.tasks.ledger.row('never')).toBeUndefined();
  });
});
