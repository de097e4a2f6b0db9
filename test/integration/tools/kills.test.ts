import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpBinding } from '../../../src/contracts/index.ts';
import type { Task } from '../../../src/core/ports/index.ts';
import { CRASH_POINTS } from '../../../src/executors/tool/index.ts';
import { forkScript } from '../../support/compiled/script.ts';
import { json, type Seen, type ToolServer, toolServer } from '../../support/tool-server.ts';
import { callTask } from '../../support/tools.ts';
import type { ChildOrder } from './child.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'writ-kill-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Told of every request; a request for `/hang` gets no answer. */
let onRequest: (seen: Seen) => void = () => undefined;
let server: ToolServer;
beforeAll(async () => {
  server = await toolServer((request, response, socket) => {
    onRequest(request);
    if (request.url !== '/hang') json(200, { n: 1 })(request, response, socket);
  });
});
afterAll(() => server[Symbol.asyncDispose]());

function start(tasks: readonly Task[], at?: string): ChildProcess {
  const action = (effect: string, url: string): object => ({ effect, request: { method: 'POST', url: `http://127.0.0.1:${server.port}${url}` } });
  const binding = HttpBinding.parse({
    tool: 't',
    adapter: 'http',
    http: { hosts: [`127.0.0.1:${server.port}`], allow: ['127.0.0.1'] },
    actions: { op: action('once', '/op'), hang: action('once', '/hang'), again: action('idempotent', '/again') },
  });
  const order: ChildOrder = { directory, binding, tasks, ...(at === undefined ? {} : { at }) };
  return forkScript(new URL('./child.ts', import.meta.url), [JSON.stringify(order)]);
}

async function endsOf(child: ChildProcess): Promise<unknown[]> {
  const ends: unknown[] = [];
  child.on('message', (message: { ends: unknown[] }) => ends.push(...message.ends));
  expect(await once(child, 'exit')).toEqual([0, null]);
  return ends;
}

const requestsOf = (task: Task): number => server.seen.filter(({ headers }) => headers['idempotency-key'] === task.manifest.task_id).length;
const UNKNOWN = expect.stringMatching(/^TOOL_OUTCOME_UNKNOWN/);

describe('a worker that is killed with kill -9', () => {
  it.each(CRASH_POINTS)('at %s of once calls sends each request at most once, and the next worker sends none', async (at) => {
    const tasks = [...Array(5).keys()].map(() => callTask('t', 'op'));
    expect(await once(start(tasks, at), 'exit')).toEqual([null, 'SIGKILL']);
    const before = tasks.map(requestsOf);
    expect(Math.max(...before)).toBeLessThanOrEqual(1);
    const ends = await endsOf(start(tasks));
    for (const [index, task] of tasks.entries()) {
      expect(requestsOf(task)).toBeLessThanOrEqual(1);
      // All intents of one turn share a commit, so each of these calls had begun.
      if (before[index] === 0 && requestsOf(task) === 0) expect(ends[index]).toEqual(UNKNOWN);
    }
    expect(ends.some((end) => typeof end === 'string' && end.startsWith('TOOL_OUTCOME_UNKNOWN'))).toBe(true);
    // For ever.
    expect(await endsOf(start(tasks))).toEqual(ends);
    for (const task of tasks) expect(requestsOf(task)).toBeLessThanOrEqual(1);
  });

  it('while it waits for the answer of a once call leaves an unknown outcome and one request', async () => {
    const task = callTask('t', 'hang');
    const asked = new Promise<void>((resolve) => {
      onRequest = () => resolve();
    });
    const child = start([task]);
    await asked;
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await endsOf(start([task]))).toEqual([UNKNOWN]);
    expect(await endsOf(start([task]))).toEqual([UNKNOWN]);
    expect(requestsOf(task)).toBe(1);
  });

  it('leaves a call that may be repeated to the next worker, which sends it with the same key', async () => {
    const [killed, repeated] = [callTask('t', 'op'), callTask('t', 'again')];
    const child = start([killed, repeated], 'intent');
    await once(child, 'exit');
    const [, end] = await endsOf(start([killed, repeated]));
    expect(end).toEqual({ data: { n: 1 }, meta: { status: 200 } });
    expect(requestsOf(repeated)).toBeGreaterThanOrEqual(1);
  });

  it('whose calls had ended before answers the same again, without a request', async () => {
    const task = callTask('t', 'op');
    expect(await endsOf(start([task]))).toEqual([{ data: { n: 1 }, meta: { status: 200 } }]);
    expect(await endsOf(start([task]))).toEqual([{ data: { n: 1 }, meta: { status: 200 } }]);
    expect(requestsOf(task)).toBe(1);
  });
});
