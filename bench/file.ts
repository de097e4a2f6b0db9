import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TaskManifest } from '../src/contracts/index.ts';
import type { Case, Round, Suite } from './contract.ts';
import { type BenchExecutor, startExecutor } from './file/executor.ts';

/** Enough for both sides to run compiled code for most of a round. */
const MOVES = 2048;
const GIBIBYTE = 1024 ** 3;
const CHUNK = 4 * 1024 * 1024;

/** Journalled moves and copies, without the queue, against the same durability done by hand. */
export const suite: Suite = {
  what: 'journalled moves against a loop of fsynced intent, rename and directory fsyncs; 1 GiB copy against cp and sync',
  async open() {
    const home = await mkdtemp(path.join(tmpdir(), 'writ-bench-file-'));
    const base = path.join(home, 'base');
    await mkdir(base);
    const executor = await startExecutor(home, base);
    const big = path.join(base, 'big.bin');
    const digest = await writeRandom(big, GIBIBYTE);
    return {
      cases: [moves('move1', 1), moves('move64', 64), copy(executor, base, big, digest)],
      async close() {
        await executor.stop();
        await rm(home, { recursive: true, force: true });
      },
    };

    function moves(name: string, concurrency: number): Case {
      return {
        name,
        kind: 'speed',
        peer: 'rename_fsync',
        ours: () => inFolders(base, (from, to, names) => ourMoves(executor, from, to, names, concurrency)),
        theirs: () => inFolders(base, handMoves),
      };
    }
  },
};

/** Makes the files, times the work, and tells what stands at the destination. */
async function inFolders(base: string, work: (from: string, to: string, names: readonly string[]) => Promise<void>): Promise<Round> {
  const folder = path.join(base, randomUUID());
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
  await mkdir(from, { recursive: true });
  await mkdir(to);
  const names = Array.from({ length: MOVES }, (_, index) => `file-${index}`);
  for (const name of names) await writeFile(path.join(from, name), name);
  await syncPath(from);
  const start = performance.now();
  await work(from, to, names);
  const value = performance.now() - start;
  const done = { left: (await readdir(from)).length, arrived: (await readdir(to)).length };
  await rm(folder, { recursive: true });
  return { value, work: done };
}

async function ourMoves(executor: BenchExecutor, from: string, to: string, names: readonly string[], concurrency: number): Promise<void> {
  const queue = names[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (const name of queue) await executor.run(task('FILE_MOVE', path.join(from, name), path.join(to, name)));
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

/** What a careful program does by hand: intent on disk, rename, both directories on disk; one after the other. */
async function handMoves(from: string, to: string, names: readonly string[]): Promise<void> {
  const intents = await open(path.join(path.dirname(from), 'intents.log'), 'a');
  const [source, destination] = await Promise.all([open(from, 'r'), open(to, 'r')]);
  for (const name of names) {
    await intents.write(`move ${name}\n`);
    await intents.sync();
    await rename(path.join(from, name), path.join(to, name));
    await source.sync();
    await destination.sync();
  }
  await Promise.all([intents, source, destination].map((handle) => handle.close()));
}

function copy(executor: BenchExecutor, base: string, big: string, digest: string): Case {
  const timed = async (work: (to: string) => Promise<void>): Promise<Round> => {
    const to = path.join(base, `copy-${randomUUID()}.bin`);
    const start = performance.now();
    await work(to);
    const value = performance.now() - start;
    const same = (await digestOf(to)) === digest;
    await rm(to);
    await syncPath(base);
    return { value, work: { same } };
  };
  return {
    name: 'copy1g',
    kind: 'speed',
    peer: 'cp',
    ours: () => timed((to) => executor.run(task('FILE_COPY', big, to))),
    theirs: () =>
      timed(async (to) => {
        await run('cp', [big, to]);
        await run('sync', [to]);
        await run('sync', [base]);
      }),
  };
}

function task(capability: string, source: string, destination: string): TaskManifest {
  return { task_id: randomUUID(), capability_id: capability, inputs: { source_path: source, destination_path: destination }, constraints: {} };
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const [code] = (await once(spawn(command, args, { stdio: 'ignore' }), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}

async function syncPath(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync();
  await handle.close();
}

async function writeRandom(file: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file, 'wx');
  for (let written = 0; written < bytes; written += CHUNK) {
    const chunk = randomBytes(CHUNK);
    hash.update(chunk);
    await handle.write(chunk);
  }
  await handle.sync();
  await handle.close();
  return hash.digest('hex');
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
