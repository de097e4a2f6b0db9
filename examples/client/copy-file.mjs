#!/usr/bin/env node
// Copies one file and prints the executor's answer. Needs a key with the roles submit, read and kernel.
//
//   node examples/client/copy-file.mjs http://127.0.0.1:8377 <key file> /source /destination [task_id]
//
// Run it again with the same task_id: one copy, the same answer. Exit code: 0 SUCCESS, 1 FAILURE, 2 usage or no answer. (`writ-client` is the same client.)
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { WritClient } from 'writ/client';

const [baseUrl, keyFile, source, destination, taskId = `copy-${randomUUID()}`] = process.argv.slice(2);
if (destination === undefined) {
  const help = baseUrl === '--help';
  process[help ? 'stdout' : 'stderr'].write('usage: node examples/client/copy-file.mjs <url> <key file> <source> <destination> [task_id]\n');
  process.exit(help ? 0 : 2);
}
// What cannot be read or reached is said in a line; the same task may be pushed again.
process.on('uncaughtException', ({ message }) => {
  process.stderr.write(`copy-file: ${message}\n`);
  process.exit(2);
});
const client = new WritClient({ baseUrl, key: async () => (await readFile(keyFile, 'utf8')).trim() });

const manifest = {
  task_id: taskId,
  capability_id: 'FILE_COPY',
  inputs: { source_path: source, destination_path: destination },
  constraints: {},
};
const { lease } = await client.leases.issue(manifest);
const pushed = await client.tasks.submit(manifest, { lease, wait: 10 });
const task = pushed.ended ? pushed.task : await client.tasks.result(taskId, { timeoutMs: 60_000 });
process.stdout.write(`${JSON.stringify(task.result ?? { message: task.message })}\n`);
process.exitCode = task.state === 'success' ? 0 : 1;
