#!/usr/bin/env node
// Pushes many tasks and verifies what came of them. Each request has the kernel sign hundreds of leases at once. Needs a key with the
// roles submit, read and kernel.
//
//   node examples/client/push-many.mjs http://127.0.0.1:8377 <key file> [manifests.ndjson | -]
//
// A manifest a line; "-" or nothing reads them from standard input. Standard output: a line for each task, in their order, when all
// are pushed. Run it again with the same lines: every task is done once. Exit code: 0 all succeeded, 1 not, 2 usage or no answer.
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { verifyResult, WritClient } from 'writ/client';

const [baseUrl, keyFile, file = '-'] = process.argv.slice(2);
if (keyFile === undefined) {
  const help = baseUrl === '--help';
  process[help ? 'stdout' : 'stderr'].write('usage: node examples/client/push-many.mjs <url> <key file> [manifests.ndjson | -]\n');
  process.exit(help ? 0 : 2);
}
// What cannot be read or reached is said in a line; the same lines may be pushed again.
process.on('uncaughtException', ({ message }) => {
  process.stderr.write(`push-many: ${message}\n`);
  process.exit(2);
});
const client = new WritClient({ baseUrl, key: async () => (await readFile(keyFile, 'utf8')).trim() });

const manifests = [];
async function* tasks() {
  for await (const line of createInterface({ input: file === '-' ? process.stdin : createReadStream(file) })) {
    manifests.push(JSON.parse(line));
    yield { manifest: manifests.at(-1) };
  }
}

const rejected = new Map();
for await (const { line, receipt, code, message } of client.tasks.submitMany(tasks(), { sign: true })) {
  if (receipt === 'rejected') rejected.set(line, { state: 'rejected', code, message });
}

const keys = await client.keys();
for (const [index, manifest] of manifests.entries()) {
  const outcome = rejected.get(index + 1) ?? (await outcomeOf(manifest));
  if (outcome.state !== 'success') process.exitCode = 1;
  process.stdout.write(`${JSON.stringify({ task_id: manifest.task_id, ...outcome })}\n`);
}

/** The end of a task, once an executor's signature says so. */
async function outcomeOf(manifest) {
  const { state, result, message } = await client.tasks.result(manifest.task_id);
  if (result === undefined) return { state, message };
  const { ok, reason } = await verifyResult(result, manifest, keys);
  return ok ? { state, error: result.error ?? undefined } : { state: 'forged', message: reason };
}
