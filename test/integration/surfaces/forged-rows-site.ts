import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Redis } from 'ioredis';
import { rowKey } from '../../../src/adapters/redis/keys.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { WritApiError, WritClient } from '../../../src/surfaces/client/index.ts';
import { commandLine } from '../../support/command-line.ts';
import { lookAgain } from '../../support/look-again.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { toldBy } from '../../unit/surfaces/mcp/mcp-rig.ts';
import { linesOf, type Site, startSite } from './http/routes-site.ts';

/** What a reader or a push says of a task, in one word: SUCCESS, FAILURE with its code, or the code of a refusal. */
export type Word = string;

export interface ForgedSite extends AsyncDisposable {
  readonly site: Site;
  readonly redis: Redis;
  /** Every way to read a task that puts nothing on a queue. */
  readonly readers: Readonly<Record<string, (taskId: string) => Promise<Word>>>;
  /** Every way to push a task again; the last word about it, after the worker. */
  readonly pushes: Readonly<Record<string, (manifest: TaskManifest, lease: string) => Promise<Word>>>;
  /** Pushes and waits until the job is settled; the recorded result. */
  run(manifest: TaskManifest): Promise<string>;
}

export async function startForgedSite(): Promise<ForgedSite> {
  const site = await startSite({ searchable: true });
  const { rig } = site;
  await rig.startWorker();
  const redis = await rig.redis.client();
  writeFileSync(rig.places.configFile, `[redis]\nurl = "${rig.config.redis.url}"\n[file.base_directories]\nmain = "${rig.base}"\n`, { mode: 0o600 });
  const client = new WritClient({ baseUrl: site.url, key: site.secret('operator'), retries: 0 });
  const mcp = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${site.secret('operator')}` };
  await mcp.connect(new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers } }));

  const tool = async (name: string, args: object): Promise<unknown> => toldBy(await mcp.callTool({ name, arguments: { ...args } })).answer;
  const cli = async (...args: string[]): Promise<unknown> => {
    const said = await commandLine([...args, '--data-dir', rig.places.dataDir, '--json']);
    return { ...lastOf(said.out), exit: said.code, code: /\(([A-Z_]+)\)\s*$/.exec(said.err)?.[1] };
  };
  const ask = async (where: string, init: Parameters<Site['ask']>[1] = {}): Promise<unknown> => (await site.ask(where, init)).body;
  const WAIT = { prefer: 'wait=60' };
  const settled = (taskId: string): Promise<unknown> =>
    lookAgain({
      look: async () => ['completed', 'failed'].includes((await rig.enqueue.jobState(taskId))?.state ?? '') || undefined,
      timeoutMs: PATIENCE_MS,
      failure: () => `the job of ${taskId} does not end`,
    });
  const last = async (taskId: string): Promise<Word> => {
    await settled(taskId);
    return wordOf(await ask(`/v1/tasks/${taskId}`, { headers: WAIT }));
  };

  return {
    site,
    redis,
    readers: {
      'GET /v1/tasks/:id': async (id) => wordOf(await ask(`/v1/tasks/${id}`)),
      'GET /v1/tasks/:id with a wait': async (id) => wordOf(await ask(`/v1/tasks/${id}`, { headers: WAIT })),
      'writ result': async (id) => wordOf(await cli('result', id)),
      'writ result --verify': async (id) => wordOf(await cli('result', id, '--verify')),
      'MCP get_task': async (id) => wordOf(await tool('get_task', { task_id: id, wait_s: 1 })),
      'client tasks.get': (id) => apiWord(client.tasks.get(id)),
      'client tasks.result': (id) => apiWord(client.tasks.result(id, { timeoutMs: PATIENCE_MS })),
    },
    pushes: {
      'POST /v1/tasks': async (manifest, lease) => {
        await ask('/v1/tasks', { method: 'POST', body: { manifest, lease } });
        return last(manifest.task_id);
      },
      'POST /v1/tasks with a wait': async (manifest, lease) => wordOf(await ask('/v1/tasks', { method: 'POST', body: { manifest, lease }, headers: WAIT })),
      'POST /v1/tasks as a stream': async (manifest, lease) => {
        const body = `${JSON.stringify({ manifest, lease })}\n`;
        const reply = await site.ask('/v1/tasks', { method: 'POST', body, headers: { 'content-type': 'application/x-ndjson' } });
        const [receipt] = linesOf(reply.text) as { receipt: string; code?: string }[];
        return receipt?.receipt === 'rejected' ? (receipt.code ?? '') : last(manifest.task_id);
      },
      'writ push --wait': async (manifest, lease) => {
        const args = ['push', '-', '--wait', '--timeout', '60s', '--data-dir', rig.places.dataDir, '--json'];
        const { code, out } = await commandLine(args, JSON.stringify({ manifest, lease }));
        const outcome = out.split('\n').filter((line) => line.includes('"state"'))[0];
        const word = wordOf(JSON.parse(outcome ?? '{}'));
        return (word === 'SUCCESS') === (code === 0) ? word : `${word}, but exit ${code}`;
      },
      'MCP submit_task': async (manifest, lease) => wordOf(((await tool('submit_task', { manifest, lease, wait_s: 60 })) as { task?: unknown }).task),
      'client tasks.submit': async (manifest, lease) => {
        const done = await client.tasks.submit(manifest as never, { lease, wait: 60 });
        return done.ended ? wordOf(done.task) : last(manifest.task_id);
      },
    },
    async run(manifest) {
      await rig.push(manifest);
      await settled(manifest.task_id);
      return (await redis.hget(rowKey(manifest.task_id), 'result')) ?? '';
    },
    async [Symbol.asyncDispose]() {
      await mcp.close();
      await site[Symbol.asyncDispose]();
    },
  };
}

function lastOf(out: string): object {
  const line = out.trim().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? (JSON.parse(line) as object) : {};
}

interface Told {
  readonly state?: string;
  readonly code?: string | undefined;
  readonly result?: { readonly status: string; readonly error: { readonly error_code: string } | null };
}

function wordOf(told: unknown): Word {
  const { state, code, result } = (told ?? {}) as Told;
  if (code !== undefined) return code;
  if (result !== undefined) return result.status === 'SUCCESS' ? 'SUCCESS' : `FAILURE ${result.error?.error_code}`;
  return `no outcome: ${state ?? JSON.stringify(told)}`;
}

async function apiWord(asked: Promise<unknown>): Promise<Word> {
  try {
    return wordOf(await asked);
  } catch (error) {
    if (error instanceof WritApiError) return error.code;
    throw error;
  }
}

/** A row as a worker would have written it, but for what is forged. */
export async function writeRow(redis: Redis, manifest: TaskManifest, fields: Record<string, string>): Promise<void> {
  const key = rowKey(manifest.task_id);
  await redis.del(key);
  const base = { epoch: '7', owner: '', job: '', takeovers: '0', cancel: '0', exp: '0', code: '', updated: String(Date.now()) };
  await redis.hset(key, { ...base, sha: manifestSha256(manifest), ...fields });
}
