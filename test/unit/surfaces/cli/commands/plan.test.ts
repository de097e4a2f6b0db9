import { describe, expect, it } from 'vitest';
import type { PlannedStep, PlanView } from '../../../../../src/core/ports/index.ts';
import { createWorld, type World } from '../world.ts';
import { planIdOfEnvelope, signedEnd } from '../world-plans.ts';

const ENVELOPE = { payload: { steps: [{ type: 'tool', ref: 'writ.file', params: {} }] } };
const FILE = JSON.stringify(ENVELOPE);
const ID = planIdOfEnvelope(ENVELOPE);
const STEP = { path: '0/uc.x/0', tool: 'writ.file', operation: 'FILE_COPY', taskId: 's-1' };

const TREE: readonly PlannedStep[] = [
  { path: '0', depth: 0, type: 'usecase', ref: 'files.archive', operation: undefined, policies: ['when'], effect: undefined },
  {
    path: '0/files.archive/0#*',
    depth: 1,
    type: 'tool',
    ref: 'writ.file',
    operation: 'FILE_DELETE',
    policies: ['for_each item', 'on_error: continue'],
    effect: { kind: 'task', capability: 'FILE_DELETE', queue: 'file', effect: 'once', reversible: true },
  },
  {
    path: '0/files.archive/1',
    depth: 1,
    type: 'tool',
    ref: 'http.webhook',
    operation: 'post',
    policies: [],
    effect: { kind: 'request', adapter: 'http', provider: 'http-webhook', queue: 'tool-http-webhook', effect: 'once' },
  },
];
const UNBOUND: PlannedStep = { path: '1', depth: 0, type: 'tool', ref: 'slack', operation: 'send', policies: [], effect: { kind: 'unbound' } };

async function worldWith(steps: readonly PlannedStep[] = TREE): Promise<World> {
  const world = await createWorld();
  world.plans.steps = steps;
  return world;
}

function endOf(world: World, state: 'success' | 'failure', change: Partial<PlanView> = {}): void {
  world.clock.ms += 1000;
  const error = state === 'failure' ? { code: 'TOOL_FAILED', message: 'no\u001b[2J' } : undefined;
  world.plans.show(ID, { state, stepsDone: 3, current: undefined, error, result: signedEnd(ID, { secret: 'memory' }), ...change });
}

describe('writ plan check', () => {
  it('prints the tree with the effects of its steps and runs nothing', async () => {
    const world = await worldWith();
    const said = await world.cli(['plan', 'check', '-'], FILE);
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out.split('\n')).toEqual([
      `plan ${ID}`,
      expect.stringMatching(/^step +does +policies$/),
      expect.stringMatching(/^usecase files\.archive +when$/),
      expect.stringMatching(/^ {2}tool writ\.file FILE_DELETE +FILE_DELETE on file, once, reversible +for_each item, on_error: continue$/),
      expect.stringMatching(/^ {2}tool http\.webhook post +http request to http-webhook on tool-http-webhook, once$/),
      '2 tool steps: 2 with an effect, 1 of which cannot be taken back. Nothing was run.',
      '',
    ]);
    expect(world.plans.pushed).toEqual([]);
    expect(world.asked.plans).toEqual([]);
  });

  it('exits 1 when a step has no tool here, and 2 for what is no plan', async () => {
    const world = await worldWith([...TREE, UNBOUND]);
    const said = await world.cli(['plan', 'check', '-'], FILE);
    expect(said.code).toBe(1);
    expect(said.out).toContain('TOOL_UNAVAILABLE');
    for (const text of ['{}', 'x', '[]', '{"payload":{"__proto__":1}}', '{"a":1,"a":2}']) {
      expect(await world.cli(['plan', 'check', '-'], text), text).toMatchObject({ code: 2, out: '', err: expect.stringContaining('INVALID_MANIFEST') });
    }
    expect(await world.cli(['plan', 'check', '-'], ' '.repeat(1_100_000))).toMatchObject({ code: 2 });
  });

  it('answers in JSON with the names of workflows', { tags: ['PE-61'] }, async () => {
    const world = await worldWith();
    const said = await world.cli(['plan', 'check', 'input', '--json'], FILE);
    expect(said.lines).toMatchObject([{ plan_id: ID, tools: 2, once: 2, irreversible: 1, unbound: 0 }]);
    expect(JSON.stringify(said.lines[0]).match(/so\.[^"]+/g)).toEqual(['so.usecase.files-archive', 'so.tool.writ-file', 'so.tool.http-webhook']);
  });

  it('tells an operation and parameters that the tool does not have, and which were meant', async () => {
    const mismatch = { kind: 'wrong', code: 'PARAMS_MISMATCH', message: 'it does not take', names: ['sourcepath', 'zzz'], known: ['source_path'] } as const;
    const unknown = { kind: 'wrong', code: 'UNKNOWN_OPERATION', message: 'it has not', names: ['FILE_CPY'], known: ['FILE_MOVE', 'FILE_COPY'] } as const;
    const unnamed = { kind: 'wrong', code: 'INVALID_TOOL_DEF', message: 'it names none', names: [], known: ['x'] } as const;
    const elsewhere = { kind: 'unbound', of: 'operation' } as const;
    const world = await worldWith([mismatch, unknown, unnamed, elsewhere].map((effect): PlannedStep => ({ ...UNBOUND, effect })));
    const said = await world.cli(['plan', 'check', '-'], FILE);
    expect(said.code).toBe(1);
    expect(said.out).toContain('it does not take: sourcepath; did you mean source_path?, zzz (PARAMS_MISMATCH; known: source_path)');
    expect(said.out).toContain('it has not: FILE_CPY; did you mean FILE_COPY? (UNKNOWN_OPERATION)');
    expect(said.out).toContain('it names none (INVALID_TOOL_DEF)');
    expect(said.out).toContain('the binding of this tool has no such operation (TOOL_UNAVAILABLE)');
    expect(said.out).toContain('1 cannot run here; 3 will fail as written.');
    const [json] = (await world.cli(['plan', 'check', '-', '--json'], FILE)).lines;
    expect(json).toMatchObject({
      wrong: 3,
      unbound: 1,
      steps: [{ effect: { kind: 'wrong', code: 'PARAMS_MISMATCH', names: ['sourcepath', 'zzz'] } }, {}, {}, {}],
    });
  });

  it('warns when its tree has more tool steps than it may call', async () => {
    const world = await worldWith();
    const few = JSON.stringify({ payload: { ...ENVELOPE.payload, options: { maxSteps: 1 } } });
    const warning = 'maxSteps allows 1 calls of tools: a run that reaches one more ends there with MAX_STEPS_EXCEEDED.';
    expect(await world.cli(['plan', 'check', '-'], few)).toMatchObject({ code: 0, out: expect.stringContaining(warning) });
    expect((await world.cli(['plan', 'check', '-', '--json'], few)).lines).toMatchObject([{ tools: 2, warnings: [warning] }]);
    const enough = JSON.stringify({ payload: { ...ENVELOPE.payload, options: { maxSteps: 2 } } });
    expect((await world.cli(['plan', 'check', '-', '--json'], enough)).lines[0]).not.toHaveProperty('warnings');
    const thirty = await worldWith(Array.from({ length: 31 }, () => UNBOUND));
    expect((await thirty.cli(['plan', 'check', '-'], FILE)).out).toContain('maxSteps allows 30 calls of tools');
  });

  it('prints the linked envelope alone when asked', async () => {
    const world = await worldWith();
    expect(await world.cli(['plan', 'check', '-', '--linked'], FILE)).toMatchObject({ code: 0, out: `${FILE}\n` });
  });
});

describe('writ plan run', () => {
  it('links, has the kernel sign, and pushes', async () => {
    const world = await worldWith();
    const said = await world.cli(['plan', 'run', '-', '--ttl', '15m'], FILE);
    expect(said).toMatchObject({ code: 0, out: `plan ${ID} is queued\n`, err: '' });
    expect(world.plans.pushed).toEqual([{ envelope: ENVELOPE, lease: `lease-of-${ID}` }]);
    expect(world.asked.plans).toEqual([{ ttlS: 900 }]);
    expect(await world.cli(['plan', 'run', '-', '--json'], FILE)).toMatchObject({ lines: [{ plan_id: ID, receipt: 'in-flight', queue: 'plan' }] });
  });

  it('begins later, and before others, under a lease that counts from then', async () => {
    const world = await worldWith();
    const notBefore = world.clock.ms + 3_600_000;
    expect(await world.cli(['plan', 'run', '-', '--not-before', '1h', '--priority', '3', '--ttl', '15m'], FILE)).toMatchObject({ code: 0 });
    expect(world.plans.when).toEqual([{ notBefore, priority: 3 }]);
    expect(world.asked.plans).toEqual([{ ttlS: 900, notBeforeS: Math.floor(notBefore / 1000) }]);
  });

  it.each([
    ['a time that is none', ['--not-before', 'tomorrow'], '--not-before'],
    ['a year and more ahead', ['--not-before', '400d'], '--not-before'],
    ['a priority that is none', ['--priority', '-1'], '--priority'],
    ['to wait for less than it takes to begin', ['--not-before', '1h', '--wait'], '--timeout'],
  ])('refuses %s, and pushes nothing', async (_what, flags, field) => {
    const world = await worldWith();
    const said = await world.cli(['plan', 'run', '-', ...flags, '--json'], FILE);
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining('INVALID_ARGUMENT') });
    expect(said.err).toContain(field);
    expect([world.plans.pushed, world.asked.plans]).toEqual([[], []]);
  });

  it('follows the steps with --wait: a line a step, and exit 0 for success', async () => {
    const world = await worldWith();
    const running = world.cli(['plan', 'run', '-', '--wait'], FILE);
    await expect.poll(async () => (await world.plans.door.plans.view(ID))?.state).toBe('waiting');
    world.plans.show(ID, { state: 'running', current: STEP });
    await expect.poll(() => world.plans.pushed.length).toBe(1);
    setTimeout(() => endOf(world, 'success'), 20);
    const said = await running;
    expect(said).toMatchObject({ code: 0, out: 'SUCCESS after 3 steps\n' });
    expect(said.err).toContain('0 steps done, writ.file FILE_COPY at 0/uc.x/0');
  });

  it('answers with a stream of JSON lines', async () => {
    const world = await worldWith();
    world.plans.onPush = () => endOf(world, 'success');
    const said = await world.cli(['plan', 'run', '-', '--wait', '--json'], FILE);
    expect(said.lines.at(0)).toMatchObject({ plan_id: ID, receipt: 'accepted' });
    expect(said.lines.at(-1)).toMatchObject({ plan_id: ID, state: 'success', steps_done: 3 });
    expect(said.out).not.toContain('secret');
  });

  it('exits 1 with the code of the error, told without control characters', async () => {
    const world = await worldWith();
    world.plans.onPush = () => endOf(world, 'failure');
    expect(await world.cli(['plan', 'run', '-', '--wait'], FILE)).toMatchObject({
      code: 1,
      out: 'FAILURE after 3 steps: TOOL_FAILED: no\\u001b[2J\n',
    });
  });

  it('does not take the end before a retry for the new one', async () => {
    const world = await worldWith();
    endOf(world, 'failure');
    world.plans.onPush = () => setTimeout(() => endOf(world, 'success', { stepsDone: 4 }), 20);
    expect(await world.cli(['plan', 'run', '-', '--wait'], FILE)).toMatchObject({ code: 0, out: 'SUCCESS after 4 steps\n' });
  });

  it('answers at once for a plan that has succeeded', async () => {
    const world = await worldWith();
    endOf(world, 'success');
    expect(await world.cli(['plan', 'run', '-', '--wait'], FILE)).toMatchObject({ code: 0, out: 'SUCCESS after 3 steps\n' });
  });

  it('gives up without news with exit 3, and says that the plan goes on when it is interrupted', async () => {
    const world = await worldWith();
    expect(await world.cli(['plan', 'run', '-', '--wait', '--timeout', '0'], FILE)).toMatchObject({ code: 3, err: expect.stringContaining('TIMEOUT') });
    world.interrupt.abort();
    expect(await world.cli(['plan', 'run', '-', '--wait'], FILE)).toMatchObject({ code: 1, out: expect.stringContaining('goes on') });
  });

  it('does not believe an end that no executor signed', async () => {
    const world = await worldWith();
    world.plans.onPush = () => endOf(world, 'success', { result: signedEnd(ID).replace('good', 'forged') });
    expect(await world.cli(['plan', 'run', '-', '--wait'], FILE)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('INVALID_RESULT') });
  });
});

describe('writ plan show', () => {
  it('tells state and current step, and exits 3 while the plan runs', async () => {
    const world = await worldWith();
    world.plans.show(ID, { state: 'running', stepsDone: 1, current: STEP, cancelRequested: true });
    const said = await world.cli(['plan', 'show', `p_${ID}`]);
    expect(said.code).toBe(3);
    expect(said.out).toMatch(/steps done +1\ncurrent step +writ\.file FILE_COPY at 0\/uc\.x\/0\nits task +s-1\ncancel +asked/);
    expect((await world.cli(['plan', 'show', ID, '--json'])).lines).toMatchObject([
      { plan_id: ID, state: 'running', current: { path: '0/uc.x/0', task_id: 's-1' }, cancel_requested: true },
    ]);
  });

  it('says for whom a plan waits, and until when', async () => {
    const world = await worldWith();
    const waits = { for: 'approval', role: 'approve', until: Date.UTC(2026, 10, 24, 5) } as const;
    world.plans.show(ID, { state: 'running', stepsDone: 0, current: { ...STEP, waits } });
    const { out } = await world.cli(['plan', 'show', ID]);
    expect(out).toMatch(/waits for +somebody with the role approve, until 2026-11-24T05:00:00\.000Z\nits task/);
  });

  it('shows memory only when asked', async () => {
    const world = await worldWith();
    endOf(world, 'success');
    for (const args of [
      ['plan', 'show', ID],
      ['plan', 'show', ID, '--json'],
    ]) {
      const said = await world.cli(args);
      expect(said.code).toBe(0);
      expect(said.out).not.toContain('secret');
    }
    expect((await world.cli(['plan', 'show', ID, '--memory'])).out).toContain('"secret": "memory"');
    expect((await world.cli(['plan', 'show', ID, '--memory', '--json'])).lines).toMatchObject([
      { result: { plan_sha256: ID, envelope: { output: { memory: { state: { secret: 'memory' } } } } } },
    ]);
  });

  it('checks the signature when asked, and fails when it does not verify', async () => {
    const world = await worldWith();
    endOf(world, 'failure');
    expect(await world.cli(['plan', 'show', ID, '--verify'])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/error +TOOL_FAILED[\s\S]*signature +verified/),
    });
    endOf(world, 'success', { result: '{}' });
    expect(await world.cli(['plan', 'show', ID, '--verify'])).toMatchObject({ code: 1, out: expect.stringContaining('DOES NOT VERIFY') });
    expect(await world.cli(['plan', 'show', ID, '--memory'])).toMatchObject({ code: 1, err: expect.stringContaining('INVALID_RESULT') });
  });

  it('refuses a word that is no plan id, and does not know others', async () => {
    const world = await worldWith();
    expect((await world.cli(['plan', 'show', 'x'])).code).toBe(2);
    expect(await world.cli(['plan', 'show', ID])).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });
  });
});

describe('writ plan cancel and retry', () => {
  it('ask for a cancel, audited, and refuse it for a plan that has ended', async () => {
    const world = await worldWith();
    world.plans.show(ID, { state: 'running' });
    expect(await world.cli(['plan', 'cancel', ID])).toMatchObject({ code: 0, out: expect.stringContaining('is requested') });
    expect(world.audit.map(({ action, subject, outcome }) => [action, subject, outcome])).toEqual([
      ['plan.cancel', ID, 'asked'],
      ['plan.cancel', ID, 'done'],
    ]);
    endOf(world, 'success');
    expect(await world.cli(['plan', 'cancel', ID])).toMatchObject({ code: 1, err: expect.stringContaining('WRONG_STATE') });
    expect(await world.cli(['plan', 'cancel', 'a'.repeat(64)])).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });
  });

  it('run a failed plan on, and wait for its new end', async () => {
    const world = await worldWith();
    endOf(world, 'failure');
    expect(await world.cli(['plan', 'retry', ID])).toMatchObject({ code: 0, out: `plan ${ID} runs on\n` });
    world.plans.onPush = () => setTimeout(() => endOf(world, 'success'), 20);
    expect(await world.cli(['plan', 'retry', ID, '--wait'])).toMatchObject({ code: 0, out: 'SUCCESS after 3 steps\n' });
    expect(await world.cli(['plan', 'retry', ID])).toMatchObject({ code: 1, err: expect.stringContaining('WRONG_STATE') });
    expect(world.plans.retried).toEqual([undefined, undefined]);
    expect(world.audit.filter(({ outcome }) => outcome === 'refused')).toMatchObject([{ action: 'plan.retry', detail: { code: 'WRONG_STATE' } }]);
  });

  it('have the kernel renew a lease that has expired, unless that is forbidden, without the file', async () => {
    const world = await worldWith();
    await world.plans.door.plans.push({ envelope: ENVELOPE, lease: `expired-${ID}` });
    endOf(world, 'failure');
    expect(await world.cli(['plan', 'retry', ID, '--no-regrant'])).toMatchObject({ code: 1, err: expect.stringContaining('--regrant') });
    expect(await world.cli(['plan', 'retry', ID], '', { regrantByDefault: false })).toMatchObject({ code: 1, err: expect.stringContaining('LEASE_EXPIRED') });
    expect(world.asked.plans).toEqual([]);
    expect(await world.cli(['plan', 'retry', ID])).toMatchObject({ code: 0, out: `plan ${ID} runs on under a new lease\n` });
    const said = await world.cli(['plan', 'retry', ID, '--regrant', '--json'], '', { regrantByDefault: false });
    expect(said).toMatchObject({ code: 0, lines: [{ plan_id: ID, retried: true, regranted: true }] });
    expect(world.asked.plans).toEqual([{ renews: `expired-${ID}` }, { renews: `lease-of-${ID}` }]);
    expect(world.audit.filter(({ outcome }) => outcome === 'done').map(({ detail }) => detail)).toEqual([
      { regranted: true },
      { regrant: true, regranted: true },
    ]);
  });
});
