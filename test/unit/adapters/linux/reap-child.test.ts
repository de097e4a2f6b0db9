import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { reapChild } from '../../../../src/adapters/linux/reap-child.ts';

/** A thread that starts a child, says its id and ends without it, as a thread that is given up does. */
const LEAVES_A_CHILD = `
  const { spawn } = require('node:child_process');
  const { parentPort } = require('node:worker_threads');
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  parentPort.postMessage(child.pid);
`;

it('takes the end of a child whose thread is gone, so that no zombie stays', async () => {
  const thread = new Worker(LEAVES_A_CHILD, { eval: true });
  const [pid] = (await once(thread, 'message')) as [number];
  await thread.terminate();
  process.kill(pid, 'SIGKILL');
  expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain('(sleep)');
  await reapChild(pid);
  expect(() => readFileSync(`/proc/${pid}/stat`)).toThrow('ENOENT');
});

it('leaves alone what is nobody, and who is not ours', async () => {
  await reapChild(0);
  await reapChild(1);
});
