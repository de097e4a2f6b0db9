import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOUNDS, TOOL_ERROR_CODES } from '../../../../src/contracts/index.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import { failure, type StopReason } from '../../../../src/core/outcome.ts';
import type { ToolAnswer } from '../../../../src/core/ports/index.ts';
import { createToolExecutor } from '../../../../src/executors/tool/index.ts';
import { answer, callTask, context, deliver, toolJournal } from '../../../support/tools.ts';
import { scripted, untilAborted } from './scripted.ts';

let journal: Awaited<ReturnType<typeof toolJournal>>;
beforeAll(async () => {
  journal = await toolJournal();
});
afterAll(() => journal.remove());

const rig = (script: Parameters<typeof scripted>[1]) => scripted(journal, script);

describe('a tool call', () => {
  it('answers with data and meta', async () => {
    const { executor, sent } = rig({ send: async () => ({ kind: 'ok', data: { id: 7 }, meta: { status: 201 } }) });
    const task = callTask('t', 'op', { a: [1] });
    expect(await answer(deliver(executor, task))).toEqual({ data: { id: 7 }, meta: { status: 201 } });
    expect(sent).toEqual([{ taskId: task.manifest.task_id, operation: 'op', params: { a: [1] } }]);
  });

  it('of a declared retry keeps the key of the first attempt, unless it may be sent once only', async () => {
    const keyOf = async (effect: 'none' | 'idempotent' | 'once', taskId: string): Promise<unknown> => {
      const { executor, sent } = rig({ effect });
      const { manifest, ...task } = callTask('t', 'op');
      await answer(deliver(executor, { ...task, manifest: { ...manifest, task_id: taskId, inputs: { ...manifest.inputs, retry_of: 'first' } } }));
      return sent.map((request) => request.taskId);
    };
    expect([await keyOf('none', 'r-1'), await keyOf('idempotent', 'r-2'), await keyOf('once', 'r-3')]).toEqual([['first'], ['first'], ['r-3']]);
  });

  it('ends at the time limit of its step, which may be shorter than that of the binding and never longer', async () => {
    const { executor } = rig({ effect: 'none', timeoutMs: 60_000, send: untilAborted });
    const { manifest, ...task } = callTask('t', 'op');
    const limited = { ...task, manifest: { ...manifest, inputs: { ...manifest.inputs, timeout_ms: 10 } } };
    expect(await answer(deliver(executor, limited))).toMatch(/^TOOL_FAILED/);
    // Not `once`: its intent is written first, which may take longer than this limit.
    const short = rig({ effect: 'none', timeoutMs: 10, send: untilAborted });
    const { manifest: other, ...rest } = callTask('t', 'op');
    const wide = { ...rest, manifest: { ...other, task_id: 'wide', inputs: { ...other.inputs, timeout_ms: 900_000 } } };
    expect(await answer(deliver(short.executor, wide))).toMatch(/^TOOL_FAILED/);
  });

  it.each([
    ['another capability', { ...callTask('t', 'op').manifest, capability_id: 'FILE_MOVE' }, /^UNSUPPORTED_CAPABILITY/],
    ['inputs without params', { ...callTask('t', 'op').manifest, inputs: { tool: 't', operation: 'op' } }, /^EXECUTION_FAILED: inputs.params/],
    ['an input too many', { ...callTask('t', 'op').manifest, inputs: { tool: 't', operation: 'op', params: {}, url: 'x' } }, /^EXECUTION_FAILED: inputs/],
    ['a tool that is not bound', callTask('other', 'op').manifest, /^TOOL_UNAVAILABLE/],
    ['an operation that is not bound', callTask('t', 'other').manifest, /^TOOL_UNAVAILABLE/],
    ['names of object machinery', callTask('__proto__', 'constructor').manifest, /^TOOL_UNAVAILABLE/],
    ['a scope, which nobody would enforce', { ...callTask('t', 'op').manifest, constraints: { scope: '/a' } }, /^EXECUTION_FAILED: constraints.scope/],
  ])('is refused before the tool hears of it: %s', async (_, manifest, words) => {
    const { executor, sent } = rig({});
    expect(await answer(deliver(executor, { ...callTask('t', 'op'), manifest }))).toMatch(words);
    expect(sent).toEqual([]);
  });

  it.each([
    ['unavailable', 'TOOL_UNAVAILABLE: no secret'],
    ['unsent', 'TOOL_FAILED: no secret'],
  ] as const)('that cannot be prepared (%s) leaves no trace', async (kind, words) => {
    const { executor } = rig({ prepare: async () => ({ kind, message: 'no secret' }) });
    const task = callTask('t', 'op');
    expect(await answer(deliver(executor, task))).toBe(words);
    expect(await journal.view(task.manifest.task_id)).toEqual({ open: undefined, success: undefined, sent: undefined });
  });

  it.each([
    ['that is large', { text: 'x'.repeat(BOUNDS.output) }],
    ['that grows when it is written as JSON', { text: '\u0001'.repeat(BOUNDS.output / 6) }],
  ] satisfies (readonly [string, JsonObject])[])('whose answer has no room in a result (%s) says so, before anything is concluded', async (_, data) => {
    const large = async (): Promise<ToolAnswer> => ({ kind: 'ok', data, meta: { status: 200 } });
    const repeatable = callTask('t', 'op');
    expect(await answer(deliver(rig({ effect: 'none', send: large }).executor, repeatable))).toMatch(/^TOOL_FAILED: the tool answered with [0-9]+ bytes/);
    const task = callTask('t', 'op');
    const { executor, sent } = rig({ send: large });
    const first = await answer(deliver(executor, task));
    expect(first).toMatch(/^TOOL_OUTCOME_UNKNOWN: the tool answered with [0-9]+ bytes of data, and a result has room for 1047552; nobody can tell/);
    expect(await answer(deliver(executor, task))).toBe(first);
    expect(sent).toHaveLength(1);
  });

  it('whose answer just fits into a result is carried', async () => {
    const room = BOUNDS.output - Buffer.byteLength('{"data":{"text":""}}');
    const { executor } = rig({ send: async () => ({ kind: 'ok', data: { text: 'x'.repeat(room) } }) });
    expect(await answer(deliver(executor, callTask('t', 'op')))).toEqual({ data: { text: 'x'.repeat(room) } });
  });

  it('does not begin when the gate is closed', async () => {
    const { executor, sent } = rig({});
    const task = callTask('t', 'op');
    const gate = (): { kind: 'outcome'; outcome: ReturnType<typeof failure> } => ({ kind: 'outcome', outcome: failure('LEASE_EXPIRED', 'expired') });
    expect(await answer(deliver(executor, task, context({ gate })))).toBe('LEASE_EXPIRED: expired');
    expect(sent).toEqual([]);
    expect((await journal.view(task.manifest.task_id)).open).toBeUndefined();
  });

  it('has a limit that is longer than that of every tool', () => {
    expect(rig({ timeoutMs: 1234 }).executor.maxRunMs).toBeGreaterThan(1234);
    expect(createToolExecutor({ tools: new Map(), journal, clock: systemClock }).maxRunMs).toBeGreaterThan(0);
  });

  it('answers with codes of its closed set only', () => {
    expect(TOOL_ERROR_CODES).toEqual(expect.arrayContaining(['TOOL_FAILED', 'TOOL_UNAVAILABLE', 'TOOL_OUTCOME_UNKNOWN']));
  });
});

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
    const { executor } = rig({ timeoutMs: 20, send: untilAborted });
    expect(await answer(deliver(executor, callTask('t', 'op')))).toMatch(/^TOOL_OUTCOME_UNKNOWN: no answer/);
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
