import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { patient } from '../../support/patience.ts';
import { manifestOf } from '../../support/rig.ts';
import { contentOf } from '../expectations.ts';
import type { Field } from '../field.ts';
import { processState } from '../processes.ts';
import { hostileJob } from './jobs.ts';

export interface FloodReport {
  readonly jobs: number;
  /** Code at the head of BullMQ's `failedReason` → how often. */
  readonly codes: Readonly<Record<string, number>>;
  /** Jobs that did not end, or ended without a code. */
  readonly uncoded: readonly string[];
  /** Resident size of the worker in MiB, sampled after the warm-up and at the end: the least of the last three samples. */
  readonly memory: { readonly warm: number; readonly end: number; readonly most: number };
  /** Whether the worker that began is the one that ended. */
  readonly sameWorker: boolean;
  /** The file that all these jobs name stands as it stood. */
  readonly untouched: boolean;
  /** A good task ends well after all of them. */
  readonly alive: boolean;
}

const QUEUE = '{writ}:file';
const BATCH = 500;
const CODE = /^(INVALID_MANIFEST|INVALID_LEASE|LEASE_EXPIRED|UNSUPPORTED_CAPABILITY|EXECUTION_FAILED|RESOURCE_EXHAUSTED): ./;
const STUCK_MS = patient(60_000);

/** Puts hostile jobs straight into the queue's keys, as a client of another language would, and looks how each ends. */
export async function flood(field: Field, count: number): Promise<FloodReport> {
  const { rig, random } = field;
  const redis = await rig.redis.client();
  const pid = await field.pool.any();
  const file = path.join(rig.base, 'innocent');
  writeFileSync(file, 'untouched');
  const manifest = manifestOf('FILE_MOVE', file, `${file}.moved`, { constraints: { sensitivity: 'LOW' } });
  const material = { manifest: { ...manifest }, lease: await rig.lease(manifest) };

  const codes: Record<string, number> = {};
  const uncoded: string[] = [];
  const sizes: number[] = [];
  for (let done = 0; done < count; done += BATCH) {
    const jobs = Array.from({ length: Math.min(BATCH, count - done) }, (_, index) => hostileJob(random, material, done + index));
    const ids = await add(redis, jobs);
    await untilTheyEnd(redis);
    for (const [index, [reason, state]] of (await endings(redis, ids)).entries()) {
      const [, code] = CODE.exec(reason ?? '') ?? [];
      if (code === undefined) uncoded.push(`${jobs[index]?.what}: ${state}: ${reason} <- ${jobs[index]?.data.slice(0, 200)}`);
      else codes[code] = (codes[code] ?? 0) + 1;
    }
    await forget(redis, ids);
    sizes.push(residentMiB(pid));
  }
  const warm = sizes[Math.floor(sizes.length / 4)] ?? 0;
  // What grows never comes back to where it was; a single size tells only when garbage was collected last.
  const memory = { warm, end: Math.min(...sizes.slice(-3)), most: Math.max(...sizes) };
  return {
    jobs: count,
    codes,
    uncoded,
    memory,
    sameWorker: processState(pid) !== undefined,
    alive: await goodTaskEnds(field),
    untouched: contentOf(file) === 'untouched',
  };
}

/** BullMQ's own layout: a hash per job, its id in the waiting list, and the marker that wakes a worker. */
async function add(redis: Redis, jobs: readonly { readonly data: string; readonly opts: string }[]): Promise<readonly string[]> {
  const batch = redis.pipeline();
  const ids = jobs.map(() => `raw-${randomUUID()}`);
  for (const [index, { data, opts }] of jobs.entries()) {
    const id = ids[index] ?? '';
    batch.hset(`${QUEUE}:${id}`, { name: 'raw', data, opts, timestamp: Date.now(), delay: 0, priority: 0 });
    batch.lpush(`${QUEUE}:wait`, id);
  }
  batch.zadd(`${QUEUE}:marker`, 0, '0');
  await batch.exec();
  return ids;
}

async function untilTheyEnd(redis: Redis): Promise<void> {
  const end = performance.now() + STUCK_MS;
  while (performance.now() < end) {
    const [waiting, active, delayed] = await Promise.all([redis.llen(`${QUEUE}:wait`), redis.llen(`${QUEUE}:active`), redis.zcard(`${QUEUE}:delayed`)]);
    if (waiting + active + delayed === 0) return;
    await delay(20);
  }
}

async function endings(redis: Redis, ids: readonly string[]): Promise<readonly (readonly [string | undefined, string])[]> {
  const batch = redis.pipeline();
  for (const id of ids) {
    batch.hget(`${QUEUE}:${id}`, 'failedReason');
    batch.zscore(`${QUEUE}:failed`, id);
  }
  const replies = (await batch.exec()) ?? [];
  return ids.map((_, index) => {
    const [reason, failed] = [replies[2 * index]?.[1], replies[2 * index + 1]?.[1]];
    return [typeof reason === 'string' ? reason : undefined, failed === null ? 'not failed' : 'failed'] as const;
  });
}

async function forget(redis: Redis, ids: readonly string[]): Promise<void> {
  const batch = redis.pipeline();
  for (const id of ids) batch.del(`${QUEUE}:${id}`).zrem(`${QUEUE}:failed`, id);
  await batch.exec();
}

async function goodTaskEnds({ rig }: Field): Promise<boolean> {
  const source = path.join(rig.base, 'good');
  writeFileSync(source, 'good');
  const manifest = manifestOf('FILE_MOVE', source, `${source}.moved`);
  await rig.push(manifest);
  return (await rig.answer(manifest.task_id)).status === 'SUCCESS';
}

function residentMiB(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1024);
}
