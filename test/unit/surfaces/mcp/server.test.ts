import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SEARCH_TOOL_ALIASES } from '../../../../src/contracts/index.ts';
import type { OperatorAction, QueueControl } from '../../../../src/core/ports/index.ts';
import type { ServerContentSearch } from '../../../../src/surfaces/mcp/services.ts';
import { createWorld, type World } from '../cli/world.ts';
import { startMcp } from './mcp-rig.ts';

const NAMES = [
  'Search',
  'submit_task',
  'check_task',
  'get_task',
  'retry_task',
  'undo_task',
  'submit_plan',
  'get_plan',
  'list_plans',
  'get_plan_history',
  'undo_plan',
  'list_approvals',
  'answer_approval',
  'list_queues',
  'pause_queue',
  'resume_queue',
  'list_schedules',
  'get_schedule',
  'add_schedule',
  'pause_schedule',
  'resume_schedule',
  'remove_schedule',
  'list_webhooks',
  'list_notices',
  'get_notice',
  'resend_notices',
  'test_webhook',
  'index_status',
];

/** The tools over a world in memory, with real signatures. */
function worldMcp(world: World) {
  const plans = { plans: world.plans.door.plans, preview: world.plans.door.preview, signatures: world.plans.door.signatures };
  const audit = { append: async (action: object) => ({ ...action, v: 1, n: 1, at: '', prev: '', hash: '' }) as never };
  return startMcp({
    clock: world.clock,
    tasks: async () => world.tasks,
    plans: async () => plans,
    kernel: async () => world.kernel,
    signatures: async () => world.signatures,
    audit: async () => audit,
  });
}

const found: ServerContentSearch = {
  refusal: undefined,
  search: async (request) => ({ ok: false, error: { code: 'BadArgs', field: 'pattern', message: JSON.stringify(request) } }),
};

describe('the MCP server', () => {
  it('lists every tool with schemas that validators understand and with every annotation', async () => {
    await using mcp = await startMcp();
    const tools = await mcp.tools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES));
    const ajv = new Ajv({ strict: false });
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(title, name).toBeTruthy();
      expect((description ?? '').length, name).toBeGreaterThan(40);
      expect(inputSchema.type, name).toBe('object');
      expect(outputSchema?.type, name).toBe('object');
      expect(ajv.compile(inputSchema), name).toBeTypeOf('function');
      expect(ajv.compile(outputSchema ?? false), name).toBeTypeOf('function');
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
      for (const hint of [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]) expect(hint, name).toBeTypeOf('boolean');
      expect(readOnlyHint === true && destructiveHint === true, name).toBe(false);
    }
  });

  it('says of the tools that only look that they change nothing, and of no other', async () => {
    await using mcp = await startMcp();
    const looking = (await mcp.tools()).filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    expect(looking.filter((name) => !name.startsWith('search_messages'))).toEqual([
      'Search',
      'check_task',
      'get_task',
      'list_tasks',
      'get_plan',
      'list_plans',
      'get_plan_history',
      'list_approvals',
      'list_queues',
      'list_schedules',
      'get_schedule',
      'list_webhooks',
      'list_notices',
      'get_notice',
      'index_status',
    ]);
  });

  it('lists what the roles of the caller allow, and refuses the rest with FORBIDDEN', async () => {
    await using mcp = await startMcp({}, ['read']);
    const looks = [
      ...['get_task', 'list_tasks', 'get_plan', 'list_plans', 'get_plan_history', 'list_approvals'],
      ...['list_queues', 'list_schedules', 'get_schedule', 'index_status'],
    ];
    expect((await mcp.tools()).map(({ name }) => name)).toEqual(looks);
    expect(await mcp.call('undo_task', { task_id: 'x' })).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });
  });

  it('answers a tool that it does not have with an error of the protocol', async () => {
    await using mcp = await startMcp();
    await expect(mcp.call('rm')).rejects.toMatchObject({ code: -32602 });
  });

  it.each([
    ['get_task', {}, 'INVALID_ARGUMENT', 'task_id'],
    ['get_task', { task_id: '../x' }, 'INVALID_ARGUMENT', 'task_id'],
    ['get_task', { task_id: 'x', wait_s: '3' }, 'INVALID_ARGUMENT', 'wait_s'],
    ['get_task', { task_id: 'x', colour: 1 }, 'INVALID_ARGUMENT', 'colour'],
    ['submit_task', { manifest: { task_id: 'x' } }, 'INVALID_MANIFEST', 'manifest.capability_id'],
    ['submit_task', { manifest: 7 }, 'INVALID_MANIFEST', 'manifest'],
    ['submit_plan', { envelope: [] }, 'INVALID_MANIFEST', 'envelope'],
    ['get_plan', { plan_id: 'p' }, 'INVALID_ARGUMENT', 'plan_id'],
    ['get_plan_history', { plan_id: 'p' }, 'INVALID_ARGUMENT', 'plan_id'],
    ['list_plans', { limit: 101 }, 'INVALID_ARGUMENT', 'limit'],
    ['index_status', { all: true }, 'INVALID_ARGUMENT', 'all'],
  ])('refuses %s %j as %s of %s', async (name, args, code, field) => {
    await using mcp = await startMcp();
    expect(await mcp.call(name, args)).toMatchObject({ isError: true, answer: { code, field, message: expect.stringContaining(field) } });
    expect(mcp.reported).toEqual([]);
  });

  it('reaches Search by every name of the tool, and hands the request on as it came', async () => {
    await using mcp = await startMcp({ contentSearch: async () => found });
    for (const name of ['Search', ...SEARCH_TOOL_ALIASES, 'search_files']) {
      expect(await mcp.call(name, { pattern: 'x' })).toEqual({ isError: true, answer: { code: 'BadArgs', field: 'pattern', message: '{"pattern":"x"}' } });
    }
  });

  it('lists, pauses and resumes queues in the name of the caller, audited', async () => {
    const asked: string[] = [];
    const entries: OperatorAction[] = [];
    const queues: QueueControl = {
      list: async () => [],
      paused: async () => [],
      pausedAround: async () => undefined,
      async set(queue, action) {
        asked.push(`${action} ${queue}`);
        return { queue, paused: action === 'pause', changed: true };
      },
    };
    const audit = { append: async (entry: OperatorAction) => entries.splice(entries.length, 0, entry) as never };
    await using mcp = await startMcp({ queues: async () => queues, audit: async () => audit });
    expect((await mcp.call('list_queues')).answer).toEqual({ queues: [] });
    expect((await mcp.call('pause_queue', { queue: 'file' })).answer).toEqual({ queue: 'file', paused: true, changed: true });
    expect((await mcp.call('resume_queue', { queue: 'file' })).answer).toEqual({ queue: 'file', paused: false, changed: true });
    expect(asked).toEqual(['pause file', 'resume file']);
    expect(entries).toMatchObject([
      { surface: 'mcp', who: 'tester', action: 'queue.pause', subject: 'file', outcome: 'asked' },
      { outcome: 'done' },
      { action: 'queue.resume', outcome: 'asked' },
      { outcome: 'done' },
    ]);
  });

  it('tells nothing of a failure of its own but that it is one, and reports it', async () => {
    const broken = async (): Promise<never> => {
      throw new TypeError('secret insides');
    };
    await using mcp = await startMcp({ tasks: broken });
    expect(await mcp.call('get_task', { task_id: 'x' })).toEqual({
      isError: true,
      answer: { code: 'INTERNAL', message: 'The server failed; its log says why.' },
    });
    expect(mcp.reported).toEqual(['get_task: TypeError: secret insides']);
  });

  it('tells what is not available by its code', async () => {
    await using mcp = await startMcp();
    expect(await mcp.call('get_task', { task_id: 'x' })).toMatchObject({ isError: true, answer: { code: 'REDIS_UNAVAILABLE' } });
  });
});

describe('the tools of tasks', () => {
  it('submits a task under a lease of the kernel, waits for its end, and answers the same task again from its result', async () => {
    const world = await createWorld();
    await using mcp = await worldMcp(world);
    const manifest = world.manifest('t-1');
    world.onPush = (taskId) => void world.work(taskId);
    const first = await mcp.call('submit_task', { manifest, sign: true, wait_s: 5 });
    expect(first).toMatchObject({ isError: false, answer: { task_id: 't-1', receipt: 'accepted', task: { state: 'success' } } });
    expect(await mcp.call('submit_task', { manifest, sign: true })).toMatchObject({ answer: { receipt: 'finished', task: { state: 'success' } } });
    expect(await mcp.call('get_task', { task_id: 't-1' })).toMatchObject({ answer: { state: 'success', result: { status: 'SUCCESS' } } });
  });

  it('refuses a task without a lease, and one whose id is used for other bytes', async () => {
    const world = await createWorld();
    await using mcp = await worldMcp(world);
    const manifest = world.manifest('t-2');
    expect(await mcp.call('submit_task', { manifest })).toMatchObject({ isError: true, answer: { code: 'INVALID_LEASE', field: 'lease' } });
    await world.push(manifest);
    await world.work('t-2');
    const other = { ...manifest, inputs: { ...manifest.inputs, more: 1 } };
    expect(await mcp.call('submit_task', { manifest: other, lease: await world.lease(other) })).toMatchObject({ answer: { code: 'TASK_ID_CONFLICT' } });
  });

  it('does not have the kernel sign for a caller without the role', async () => {
    await using mcp = await startMcp({ tasks: async () => (await createWorld()).tasks, audit: async () => ({ append: async () => undefined as never }) }, [
      'submit',
    ]);
    const world = await createWorld();
    expect(await mcp.call('submit_task', { manifest: world.manifest('t-3'), sign: true })).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });
  });

  it.each([{ name: 5, arguments: {} }, { arguments: {} }, undefined])('tells the caller of %j that the call is at fault, not the server', async (params) => {
    await using mcp = await startMcp();
    const asked = mcp.client.request({ method: 'tools/call', params } as never, z.unknown());
    await expect(asked).rejects.toMatchObject({ code: ErrorCode.InvalidParams });
    expect(mcp.reported).toEqual([]);
  });

  it('says of a task that nobody knows that it is not found', async () => {
    await using mcp = await worldMcp(await createWorld());
    expect(await mcp.call('get_task', { task_id: 'unheard-of' })).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND' } });
    expect(await mcp.call('retry_task', { task_id: 'unheard-of' })).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND' } });
    expect(await mcp.call('undo_task', { task_id: 'unheard-of' })).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND' } });
  });
});
