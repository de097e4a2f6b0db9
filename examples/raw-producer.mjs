#!/usr/bin/env node
// Pushes one leased task straight onto the queue and waits for its signed answer, with nothing but bullmq and ioredis.
// The contract is docs/producers.md.
//
//   node examples/raw-producer.mjs connection.json [job.json | -] [--no-wait]
//
// connection.json  {"redis": {"path" | "url", "username"?, "password"? | "passwordFile"?}, "reader"?: {…}, "queue"?, "timeoutSeconds"?}
// job.json         {"manifest": {…}, "lease": "…"}; "-" or nothing reads it from standard input
//
// Standard output: one JSON line. Exit code: 0 SUCCESS (or pushed, with --no-wait), 1 FAILURE or refused, 3 no answer in time.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

const PREFIX = '{writ}';
const DAY_S = 86_400;
const POLL_MS = 100;
const OPTIONS = { removeOnComplete: { age: 3600, count: 1000 }, removeOnFail: { age: 7 * DAY_S } };

const [connectionFile, jobFile = '-'] = process.argv.slice(2).filter((argument) => argument !== '--no-wait');
const wait = !process.argv.includes('--no-wait');
const settings = JSON.parse(readFileSync(connectionFile, 'utf8'));
const { manifest, lease } = JSON.parse(readFileSync(jobFile === '-' ? 0 : jobFile, 'utf8'));
const queueName = settings.queue ?? 'file';
const taskId = manifest.task_id;

const redis = connect(settings.redis);
const reader = settings.reader ? connect(settings.reader) : redis;
const queue = new Queue(queueName, { connection: redis, prefix: PREFIX });
const epochBefore = wait ? Number((await readRow()).epoch) : 0;

// No jobId: BullMQ numbers the job, and the task_id alone decides whether anything is done.
const job = await queue.add(manifest.capability_id, { v: 1, manifest, lease }, OPTIONS);
const answer = wait ? await waitForAnswer(job.id) : { pushed: true, queue: queueName, jobId: job.id };
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.exitCode = answer.pushed || answer.status === 'SUCCESS' ? 0 : answer.timeout ? 3 : 1;
await queue.close();
for (const connection of new Set([redis, reader])) connection.disconnect();

function connect({ path, url, username, password, passwordFile }) {
  const secret = passwordFile ? readFileSync(passwordFile, 'utf8').trim() : password;
  const options = { ...(username && { username }), ...(secret && { password: secret }), maxRetriesPerRequest: 1 };
  return path ? new Redis({ path, ...options }) : new Redis(url, options);
}

/** The last byte-exact answer is in the task's row; an answer that may not touch the row is under a key of the job. */
async function waitForAnswer(jobId) {
  const until = Date.now() + (settings.timeoutSeconds ?? 30) * 1000;
  while (Date.now() < until) {
    const row = await readRow();
    if (row.state === 'success' || (row.state === 'failure' && row.epoch > epochBefore)) return JSON.parse(row.result);
    const refused = await reader.get(`${tag()}:refused:${queueName}:${jobId}`);
    if (refused !== null) return JSON.parse(refused);
    const reason = await redis.hget(`${PREFIX}:${queueName}:${jobId}`, 'failedReason');
    if (reason?.startsWith('INVALID_MANIFEST')) return { status: 'REFUSED', reason };
    await delay(POLL_MS);
  }
  return { timeout: true, queue: queueName, jobId };
}

async function readRow() {
  const [state, epoch, result] = await reader.hmget(`${tag()}:task:${taskId}`, 'state', 'epoch', 'result');
  return { state, epoch: Number(epoch ?? 0), result };
}

/** The first byte of SHA-256(task_id) places everything about a task. */
function tag() {
  return `{wl-${createHash('sha256').update(taskId).digest('hex').slice(0, 2)}}`;
}
