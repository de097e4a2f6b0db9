#!/usr/bin/env node
// Pushes one leased task straight onto the queue and waits for its signed answer, with nothing but bullmq and ioredis.
// The contract is docs/producers.md.
//
//   node examples/raw-producer.mjs connection.json [job.json | -] [--no-wait]
//
// connection.json  {"redis": {"path" | "url", "username"?, "password"? | "passwordFile"?}, "reader"?: {…}, "queue"?,
//                   "keys": "keys.json", "timeoutSeconds"?}
// keys.json        the executors' public keys: what GET /v1/keys answers; needed for the wait
// job.json         {"manifest": {…}, "lease": "…"}; "-" or nothing reads it from standard input
//
// Standard output: one JSON line. Exit code: 0 SUCCESS (or pushed, with --no-wait), 1 FAILURE or refused, 2 usage, or a file or
// Redis that cannot be used (the same push may be made again), 3 no answer in time.
// Only an answer that an executor has signed for exactly this task and manifest is one: whoever may write to Redis may
// write there.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

const PREFIX = '{writ}';
const DAY_S = 86_400;
const POLL_MS = 100;
const OPTIONS = { removeOnComplete: { age: 3600, count: 1000 }, removeOnFail: { age: 7 * DAY_S } };

/** What Redis' connection said last; a command only knows that it was given up. */
let unreachable;
// What cannot be read or reached is said in a line.
process.on('uncaughtException', ({ message }) => {
  process.stderr.write(`raw-producer: ${unreachable ?? message}\n`);
  process.exit(2);
});

if (process.argv.includes('--help')) {
  const [head = ''] = readFileSync(new URL(import.meta.url), 'utf8').split('\nimport ');
  process.stdout.write(head.replace(/^#!.*\n/, '').replace(/^\/\/ ?/gm, ''));
  process.exit(0);
}

const [connectionFile, jobFile = '-'] = process.argv.slice(2).filter((argument) => argument !== '--no-wait');
if (connectionFile === undefined) {
  process.stderr.write('usage: node examples/raw-producer.mjs connection.json [job.json | -] [--no-wait]\n');
  process.exit(2);
}
const wait = !process.argv.includes('--no-wait');
const settings = readJson(connectionFile, 'redis');
const { manifest, lease } = readJson(jobFile, 'manifest', 'lease');
const queueName = settings.queue ?? 'file';
const taskId = manifest.task_id;
const manifestSha256 = createHash('sha256').update(canonical(manifest)).digest('hex');
const keys = wait ? readJson(settings.keys, 'keys').keys : [];

const redis = connect(settings.redis);
const reader = settings.reader ? connect(settings.reader) : redis;
const queue = new Queue(queueName, { connection: redis, prefix: PREFIX }).on('error', () => undefined);
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
  const connection = path ? new Redis({ path, ...options }) : new Redis(url, options);
  return connection.on('error', ({ message }) => {
    unreachable = message;
  });
}

/** A document of a file, `-` is standard input; it must have these members. */
function readJson(file, ...members) {
  let document;
  try {
    document = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch ({ message }) {
    throw new Error(`${file}: ${message}`);
  }
  const missing = members.find((name) => document?.[name] === undefined);
  if (missing !== undefined) throw new Error(`${file}: ${missing} is missing`);
  return document;
}

/** The last byte-exact answer is in the task's row; an answer that may not touch the row is under a key of the job. */
async function waitForAnswer(jobId) {
  const until = Date.now() + (settings.timeoutSeconds ?? 30) * 1000;
  while (Date.now() < until) {
    const row = await readRow();
    const answer = genuine(row.result);
    // A row may hold the FAILURE of an earlier push, also while the task runs again.
    if (answer?.status === 'SUCCESS' || (answer && row.state === 'failure' && row.epoch > epochBefore)) return answer;
    const refused = genuine(await reader.get(`${tag()}:refused:${queueName}:${jobId}`));
    if (refused) return refused;
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

/** The result in a text, if one of the keys has signed it for this task and these bytes of the manifest. */
function genuine(text) {
  try {
    const { status, output, error, signature } = JSON.parse(text);
    const [header, signed] = signature.split('..');
    const { alg, kid, typ } = JSON.parse(Buffer.from(header, 'base64url'));
    const key = keys.find((one) => one.kid === kid && one['writ:use'] === 'result' && serves(one, manifest.capability_id));
    if (alg !== 'EdDSA' || typ !== 'writ-result+jws' || !key) return undefined;
    const subject = { task_id: taskId, capability_id: manifest.capability_id, manifest_sha256: manifestSha256 };
    const payload = Buffer.from(canonical({ ...subject, status, output, error })).toString('base64url');
    const publicKey = createPublicKey({ format: 'jwk', key: { kty: key.kty, crv: key.crv, x: key.x } });
    const good = verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signed, 'base64url'));
    return good ? { status, output, error, signature } : undefined;
  } catch {
    return undefined;
  }
}

function serves(key, capability) {
  return key['writ:capabilities'].some((one) => one === '*' || one === capability);
}

/** RFC 8785: names in the order of UTF-16, no white space, numbers and strings as JSON.stringify writes them. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** The first byte of SHA-256(task_id) places everything about a task. */
function tag() {
  return `{wl-${createHash('sha256').update(taskId).digest('hex').slice(0, 2)}}`;
}
