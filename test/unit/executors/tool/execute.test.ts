import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOUNDS, TOOL_ERROR_CODES } from '../../../../src/contracts/index.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import { failure } from '../../../../src/core/outcome.ts';
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
    ['unfit', /^EXECUTION_FAILED: inputs\.params\.p is bad$/],
    ['unsent', /^TOOL_FAILED: /],
    ['unavailable', /^TOOL_UNAVAILABLE: /],
  ] as const)('that is %s tells whose fault it is: the caller, the way to the tool, or this host', async (kind, words) => {
    for (const effect of ['none', 'once'] as const) {
      const { executor } = rig({ effect, prepare: async () => ({ kind, message: 'inputs.params.p is bad' }) });
      expect(await answer(deliver(executor, callTask('t', 'op')))).toMatch(words);
    }
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
