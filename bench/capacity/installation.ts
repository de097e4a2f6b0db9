import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { QUEUE_PREFIX } from '../../queues/catalog.ts';
import { createApiKeyStore } from '../../src/data-dir/api-keys.ts';
import { WritClient } from '../../src/surfaces/client/index.ts';
import { type Running, startProcess } from '../process.ts';
import { openSite, type Site } from '../throughput/site.ts';
import { type Batch, type Ground, layOutTree, SCOPE } from './work.ts';

/** Kernel, API and workers, a process each, on a private Redis: what production runs, with nobody else on it. */
export interface Installation {
  readonly site: Site;
  readonly ground: Ground;
  readonly client: WritClient;
  readonly pids: { readonly workers: readonly number[]; readonly api: number; readonly kernel: number; readonly redis: number };
  /** Pushes a batch while its queues are paused; resolves when all of it lies there. */
  fill(batch: Batch): Promise<void>;
  /** Lets the queues go; resolves when all of the batch has ended. Throws when a task failed. */
  drain(batch: Batch): Promise<void>;
  /** Takes away the jobs that are done: the queue keeps a thousand of them at the most, whatever was carried. */
  tidy(batch: Batch): Promise<void>;
  close(): Promise<void>;
}

const WRIT = new URL('../../src/bin/writ.js', import.meta.url);
const LOOK_MS = 20;
const MOST_JOBS = 100_000;

export async function openInstallation(workers: number): Promise<Installation> {
  const site = await openSite();
  const running: Running[] = [];
  const close = async (): Promise<void> => {
    for (const part of running.reverse()) await part.stop();
    await site.close();
  };
  try {
    const ground = { base: path.join(site.home, 'base'), tree: path.join(site.home, 'tree') };
    for (const directory of Object.values(ground)) mkdirSync(directory);
    layOutTree(ground.tree);
    writeFileSync(site.places.configFile, settings(ground), { mode: 0o600 });
    const begin = async (role: string): Promise<number> => {
      const started = await startProcess(WRIT, [role, '--data-dir', site.places.dataDir]);
      running.push(started);
      return started.pid;
    };
    const kernel = await begin('kernel');
    const workerPids: number[] = [];
    for (let n = 0; n < workers; n += 1) workerPids.push(await begin('worker'));
    const api = await begin('api');
    const redis = Number(/^process_id:(\d+)/m.exec(await site.redis.info('server'))?.[1]);
    const { secret } = await createApiKeyStore({ file: site.places.apiKeys }).create({ name: 'capacity', roles: ['submit', 'read', 'operate', 'kernel'] });
    const client = new WritClient({ baseUrl: readFileSync(site.places.apiUrl, 'utf8').trim(), key: secret });
    return { site, ground, client, pids: { workers: workerPids, api, kernel, redis }, ...queuesOf(site, client), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function queuesOf({ redis }: Site, client: WritClient): Pick<Installation, 'fill' | 'drain' | 'tidy'> {
  const key = (queue: string, list: string): string => `${QUEUE_PREFIX}:${queue}:${list}`;
  const under = async (queue: string): Promise<number> => {
    const lists = ['wait', 'paused', 'active'].map((list) => redis.llen(key(queue, list)));
    const sets = ['delayed', 'prioritized'].map((list) => redis.zcard(key(queue, list)));
    return (await Promise.all([...lists, ...sets])).reduce((sum, count) => sum + count, 0);
  };
  return {
    async tidy({ queues }) {
      for (const name of queues) await new Queue(name, { connection: redis, prefix: QUEUE_PREFIX, skipVersionCheck: true }).clean(0, MOST_JOBS, 'completed');
    },
    async fill(batch) {
      for (const queue of batch.queues) await client.queues.pause(queue);
      await batch.push(client);
    },
    async drain({ queues }) {
      for (const queue of queues) await client.queues.resume(queue);
      // The first queue of a batch holds what was pushed: a plan waits for its steps.
      for (const queue of queues) while ((await under(queue)) > 0) await delay(LOOK_MS);
      for (const queue of queues) {
        const failed = await redis.zcard(key(queue, 'failed'));
        if (failed > 0) throw new Error(`${failed} tasks of ${queue} failed: ${await firstFailure(redis, key(queue, 'failed'))}`);
      }
    },
  };

  async function firstFailure(connection: Site['redis'], set: string): Promise<string> {
    const [id = ''] = await connection.zrange(set, '0', '0');
    return (await connection.hget(set.replace(/failed$/, id), 'failedReason')) ?? 'without a reason';
  }
}

function settings({ base, tree }: Ground): string {
  const text = JSON.stringify;
  return `[log]
level = "warn"
[http]
port = 0
rate_limit = 10000000
[file.base_directories]
main = ${text(base)}
[search.scopes.${SCOPE}]
kind = "files"
path = ${text(tree)}
[tools.sandbox]
allowed_roots = [${text(tree)}]
[tools.search]
enabled = true
`;
}
