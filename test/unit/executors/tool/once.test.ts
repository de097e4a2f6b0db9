import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOUNDS } from '../../../../src/contracts/index.ts';
import type { StopReason } from '../../../../src/core/outcome.ts';
import { stopped } from '../../../../src/core/stopped.ts';
import { answer, callTask, context, deliver, toolJournal } from '../../../support/tools.ts';
import { outOfTime, scripted, untilAborted } from './scripted.ts';

let journal: Awaited<ReturnType<typeof toolJournal>>;
beforeAll(async () => {
  journal = await toolJournal();
});
afterAll(() => journal.remove());

const rig = (script: Parameters<typeof scripted>[1]) => scripted(journal, script);

describe('a once call', () => {
  it('has its intent on disk before the request', async () => {
    const task = callTask('t', 'op');
    const seen: unknown[] = [];
    const { executor } = rig({
      send: async () => {
        seen.push((await journal.view(task.manifest.task_id)).open);
        return { kind: 'ok', data: {} };
      },
    });
    await deliver(executor, task);
    expect(seen).toEqual([{ n: 1, manifestSha256: task.manifestSha256 }]);
  });

  it('is not sent by a worker that stood still while its intent was written, so that its gate has closed', { tags: ['FE-37'] }, async () => {
    const { executor, sent } = rig({});
    const task = callTask('t', 'op');
    let looks = 0;
    const gate = () => {
      looks += 1;
      return looks > 1 ? ({ kind: 'interrupted', reason: 'lock-lost' } as const) : undefined;
    };
    expect(await deliver(executor, task, context({ gate }))).toEqual({ kind: 'interrupted', reason: 'lock-lost' });
    expect(sent).toEqual([]);
    expect((await journal.view(task.manifest.task_id)).open).toBeUndefined();
    expect(await answer(deliver(executor, task))).toEqual({ data: { done: true } });
  });

  it('is not sent when another has ended the attempt while its intent was written', { tags: ['FE-37'] }, async () => {
    const task = callTask('t', 'op');
    const { task_id: taskId } = task.manifest;
    const ending = {
      ...journal,
      open: async (...args: Parameters<typeof journal.open>) => {
        const opened = await journal.open(...args);
        await journal.close(taskId, 1, { state: 'failure', sent: true, result: 'unknown' }, 2);
        return opened;
      },
    };
    const { executor, sent } = scripted(ending, {});
    expect(await executor.execute(task, context())).toMatchObject({ kind: 'busy' });
    expect(sent).toEqual([]);
  });

  it('that succeeded answers again from the journal, without a request, for every lease', async () => {
    const { executor, sent } = rig({});
    const task = callTask('t', 'op');
    await deliver(executor, task);
    const again = await deliver(rig({}).executor, { ...task, authority: { ...task.authority, jti: 'another' } });
    expect(again).toMatchObject({ replayed: true, outcome: { status: 'SUCCESS' } });
    expect(sent).toHaveLength(1);
    expect(await executor.memory.successes(undefined, 1000)).toContainEqual(
      expect.objectContaining({ taskId: task.manifest.task_id, manifestSha256: task.manifestSha256, exp: task.authority.exp }),
    );
  });

  it.each([
    ['failed', 'TOOL_FAILED: 500'],
    ['unclear', 'TOOL_OUTCOME_UNKNOWN: 500; nobody can tell whether the call had its effect'],
  ] as const)('whose request was sent and %s is not sent again under the same lease, only under a new one', async (kind, words) => {
    const { executor, sent } = rig({ send: async () => ({ kind, message: '500' }) });
    const task = callTask('t', 'op');
    expect(await answer(deliver(executor, task))).toBe(words);
    expect(await answer(deliver(executor, task))).toBe(words);
    expect(sent).toHaveLength(1);
    await deliver(executor, { ...task, authority: { ...task.authority, jti: 'lease-2' }, epoch: 2 });
    expect(sent).toHaveLength(2);
    // The first lease, once more: the pipeline would execute, the journal refuses.
    const old = await executor.execute({ ...task, epoch: 3 }, context());
    expect(old).toMatchObject({ kind: 'outcome', outcome: { error: { error_code: 'TOOL_OUTCOME_UNKNOWN' } } });
    expect(sent).toHaveLength(2);
  });

  it('that succeeded with a result for which there was room once, and is none any more, is said to be unknown, and is not sent again', async () => {
    const { executor, sent } = rig({});
    const task = callTask('t', 'op');
    const opened = await journal.open(
      { taskId: task.manifest.task_id, manifestSha256: task.manifestSha256, authority: task.authority, tool: 't', operation: 'op' },
      1,
    );
    if (opened.kind !== 'opened') throw new Error(opened.kind);
    await journal.close(task.manifest.task_id, opened.n, { state: 'success', sent: true, result: 'x'.repeat(BOUNDS.result + 1) }, 2);
    const words = 'TOOL_OUTCOME_UNKNOWN: the call has succeeded, and its result has 1048577 bytes, more than can be told; nobody can tell';
    for (const epoch of [1, 2]) expect(await answer(deliver(executor, { ...task, epoch }))).toMatch(words);
    expect(sent).toEqual([]);
  });

  it('whose request never left may be tried again under the same lease', async () => {
    let tries = 0;
    const { executor, sent } = rig({
      send: async () => {
        tries += 1;
        return tries === 1 ? { kind: 'unsent', message: 'refused' } : { kind: 'ok', data: {} };
      },
    });
    const task = callTask('t', 'op');
    expect(await answer(deliver(executor, task))).toBe('TOOL_FAILED: refused');
    expect(await answer(deliver(executor, task))).toEqual({ data: {} });
    expect(sent).toHaveLength(2);
  });

  it('with an open intent of another process is an unknown outcome, for ever under that lease, and sends nothing', async () => {
    const task = callTask('t', 'op');
    await journal.open({ taskId: task.manifest.task_id, manifestSha256: task.manifestSha256, authority: task.authority, tool: 't', operation: 'op' }, 1);
    const { executor, sent } = rig({});
    expect(await answer(deliver(executor, task))).toMatch(/^TOOL_OUTCOME_UNKNOWN: a worker was lost/);
    expect(await deliver(executor, task)).toMatchObject({ replayed: true });
    expect(await executor.memory.recall(task.manifest.task_id)).toMatchObject({ kind: 'doubtful', jti: 'lease-1' });
    expect(sent).toEqual([]);
  });

  it('that runs out of time after it was sent is an unknown outcome, no failure', async () => {
    expect(await outOfTime((script) => answer(deliver(rig(script).executor, callTask('t', 'op'))))).toMatch(/^TOOL_OUTCOME_UNKNOWN: no answer/);
  });

  it('waits for its answer when a cancel comes after the request', async () => {
    const stop = new AbortController();
    const { executor } = rig({
      send: async (signal) => {
        stop.abort('cancelled' satisfies StopReason);
        return signal.aborted ? { kind: 'unclear', message: 'aborted' } : { kind: 'ok', data: {} };
      },
    });
    expect(await answer(deliver(executor, callTask('t', 'op'), context({ signal: stop.signal })))).toEqual({ data: {} });
  });

  it.each(['shutdown', 'lock-lost'] as const)('leaves its intent open when %s comes before the answer: the next worker calls it unknown', async (reason) => {
    const stop = new AbortController();
    const { executor } = rig({
      send: (signal) => {
        const end = untilAborted(signal);
        stop.abort(reason);
        return end;
      },
    });
    const task = callTask('t', 'op');
    expect(await answer(deliver(executor, task, context({ signal: stop.signal })))).toBe('interrupted');
    expect((await journal.view(task.manifest.task_id)).open).toMatchObject({ n: 1 });
    expect(await answer(deliver(rig({}).executor, task))).toMatch(/^TOOL_OUTCOME_UNKNOWN/);
  });

  it.each(['cancelled', 'timeout', 'shutdown', 'lock-lost'] as const)(
    'stopped by %s while its intent was written sends nothing and may run again',
    async (reason) => {
      const stop = new AbortController();
      const { executor, sent } = rig({});
      const task = callTask('t', 'op');
      const gate = (): undefined => {
        queueMicrotask(() => stop.abort(reason));
        return undefined;
      };
      await deliver(executor, task, context({ signal: stop.signal, gate }));
      expect(sent).toEqual([]);
      expect(await executor.memory.recall(task.manifest.task_id)).toEqual({ kind: 'unknown' });
      expect(await answer(deliver(executor, task))).toEqual({ data: { done: true } });
    },
  );

  it('is not called unknown by a delivery that stood still since its claim: the request of another is on its way', { tags: ['FE-37'] }, async () => {
    const { executor } = rig({});
    const task = callTask('t', 'op');
    const { task_id: taskId, manifestSha256, authority } = { ...task, task_id: task.manifest.task_id };
    await journal.open({ taskId, manifestSha256, authority, tool: 't', operation: 'op' }, 1);
    const lost = { kind: 'interrupted', reason: 'lock-lost' } as const;
    expect(await executor.memory.recover(task, context({ gate: () => lost }), { mayRedo: true })).toEqual(lost);
    expect((await journal.view(taskId)).open).toMatchObject({ n: 1 });
  });

  it('that was left open is unknown, and nothing else, to a delivery that stood still until its time was over', { tags: ['FE-37'] }, async () => {
    const { executor, sent } = rig({});
    const task = callTask('t', 'op');
    const { manifest, manifestSha256, authority } = task;
    await journal.open({ taskId: manifest.task_id, manifestSha256, authority, tool: 't', operation: 'op' }, 1);
    const late = context({ signal: AbortSignal.abort('timeout' satisfies StopReason), gate: () => stopped('timeout') });
    const ended = await executor.memory.recover(task, late, { mayRedo: true });
    expect(ended).toMatchObject({ kind: 'outcome', outcome: { status: 'FAILURE', error: { error_code: 'TOOL_OUTCOME_UNKNOWN' } } });
    expect(sent).toEqual([]);
  });

  it('gives a second delivery of this process the answer that is about to be recorded', async () => {
    const { executor, sent } = rig({});
    const task = callTask('t', 'op');
    const first = await executor.execute(task, context());
    const second = await executor.memory.recover({ ...task, epoch: 2 }, context(), { mayRedo: true });
    expect(second).toBe(first);
    await executor.memory.conclude({ ...task, epoch: 2 }, 'SUCCESS', '{}');
    expect(sent).toHaveLength(1);
  });

  it('is busy while this process, or another one, is at it', async () => {
    const stop = new AbortController();
    const { executor } = rig({ send: untilAborted });
    const task = callTask('t', 'op');
    let begun = (): void => undefined;
    const gate = (): undefined => begun() as undefined;
    const beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const first = deliver(executor, task, context({ signal: stop.signal, gate }));
    await beginning;
    expect((await executor.execute(task, context())).kind).toBe('busy');
    expect((await rig({}).executor.execute(task, context())).kind).toBe('busy');
    stop.abort('shutdown');
    await first;
  });

  it('does not call an answer recorded that the journal did not take', async () => {
    const { executor } = rig({});
    const task = callTask('t', 'op');
    await executor.execute(task, context());
    await journal.close(task.manifest.task_id, 1, { state: 'failure', sent: true, result: 'of another worker' }, 1);
    await expect(executor.memory.conclude(task, 'SUCCESS', '{}')).rejects.toMatchObject({ code: 'WRONG_STATE' });
  });

  it('keeps no answer of an attempt that another worker has ended: under a new lease the call is made anew', async () => {
    const { executor, sent } = rig({});
    const task = callTask('t', 'op');
    await executor.execute(task, context());
    await journal.close(task.manifest.task_id, 1, { state: 'failure', sent: true, result: 'of another worker' }, 1);
    await executor.memory.conclude(task, 'SUCCESS', '{}').catch(() => undefined);
    const anew = { ...task, epoch: 3, authority: { ...task.authority, jti: 'another' } };
    expect(await answer(deliver(executor, anew))).toEqual({ data: { done: true } });
    expect(sent).toHaveLength(2);
  });
});
