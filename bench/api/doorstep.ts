import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { QUEUE_PREFIX } from '../../queues/catalog.ts';
import type { RedisTarget } from '../../src/adapters/redis/target.ts';
import type { TaskJob } from '../../src/contracts/index.ts';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { sha256Hex } from '../../src/core/hash.ts';
import { createApiKeyStore } from '../../src/data-dir/api-keys.ts';
import { type Running, startProcess } from '../process.ts';
import { openSite, type Site } from '../throughput/site.ts';
import type { LoadReport, LoadSetup, LoadWish } from './load.ts';
import type { PeerReport, PeerSetup, PeerWish } from './peer.ts';

/** What lies in a queue: how many jobs wait, and a hash over the data of every 97th task. */
interface Queued {
  readonly waiting: number;
  readonly sample: string;
}

/** `writ api`, a load generator and bare BullMQ, a process each, on one Redis; the tasks are signed already. */
export interface Doorstep {
  load(wish: LoadWish): Promise<LoadReport>;
  peer(wish: PeerWish): Promise<PeerReport>;
  /** Empties Redis and waits until the task index of the server has nothing left to do. */
  clear(): Promise<void>;
  queued(side: 'writ' | 'bullmq', tasks: number): Promise<Queued>;
  close(): Promise<void>;
}

const QUEUE = 'file';
const PREFIXES = { writ: QUEUE_PREFIX, bullmq: '{bare}' } as const;
const SAMPLE_EVERY = 97;
const PATIENCE_MS = 60_000;
const LOOK_MS = 200;

/** @param leases `bundled` as the kernel gives them out for a batch, `own` with a signature each */
export async function openDoorstep(tasks: number, leases: 'bundled' | 'own' = 'bundled'): Promise<Doorstep> {
  const site = await openSite('FILE_MOVE');
  const running: Running[] = [];
  const close = async (): Promise<void> => {
    for (const part of running.reverse()) await part.stop();
    await site.close();
  };
  try {
    const jobs = leases === 'bundled' ? await site.bundled(tasks) : await Promise.all(Array.from({ length: tasks }, site.job));
    return { ...(await openAt(site, jobs, running)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAt(site: Site, jobs: readonly TaskJob[], running: Running[]): Promise<Omit<Doorstep, 'close'>> {
  const begin = async (module: string, args: readonly string[]): Promise<Running> => {
    const started = await startProcess(new URL(module, import.meta.url), args);
    running.push(started);
    return started;
  };
  const file = path.join(site.home, 'tasks.ndjson');
  writeFileSync(file, jobs.map((job) => `${JSON.stringify(job)}\n`).join(''));
  const { secret } = await createApiKeyStore({ file: site.places.apiKeys }).create({ name: 'bench', roles: ['submit', 'read'] });

  const settings = ['http.port=0', 'http.rate_limit=10000000', 'http.request_timeout_s=600'].flatMap((setting) => ['--set', setting]);
  await begin('../../src/bin/writ.js', ['api', '--data-dir', site.places.dataDir, ...settings]);
  const url = readFileSync(site.places.apiUrl, 'utf8').trim();
  const target = JSON.parse(readFileSync(path.join(site.home, 'target.json'), 'utf8')) as RedisTarget;
  const load = await begin('./load.js', [JSON.stringify({ url, secret, file } satisfies LoadSetup)]);
  const peer = await begin('./peer.js', [JSON.stringify({ target, file, prefix: PREFIXES.bullmq, queue: QUEUE } satisfies PeerSetup)]);

  return {
    load: (wish) => load.ask<LoadReport>(wish),
    peer: (wish) => peer.ask<PeerReport>(wish),
    async clear() {
      await site.redis.flushall();
      await indexEmpty(url, secret);
    },
    async queued(side, count) {
      const prefix = `${PREFIXES[side]}:${QUEUE}`;
      const sampled = jobs.slice(0, count).filter((_, at) => at % SAMPLE_EVERY === 0);
      const data = await Promise.all(sampled.map(({ manifest }) => dataOf(site.redis, `${prefix}:t_${manifest.task_id}`)));
      return { waiting: await site.redis.llen(`${prefix}:wait`), sample: sha256Hex(data.join('\n')) };
    },
  };
}

async function dataOf(redis: Redis, key: string): Promise<string> {
  const text = await redis.hget(key, 'data');
  if (text === null) throw new Error(`${key} was not queued`);
  return canonicalJson(JSON.parse(text));
}

/** What the last round left in the index must not cost this one anything. */
async function indexEmpty(url: string, secret: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await (await fetch(new URL('/readyz', url), { headers: { authorization: `Bearer ${secret}` } })).text();
    if (answer.includes('following, 0 tasks')) return;
    if (performance.now() > deadline) throw new Error(`the task index does not get empty: ${answer}`);
    // Outside of what is timed. Nothing tells that an index has become empty: its readiness is asked for, as a load balancer would.
    await delay(LOOK_MS);
  }
}
