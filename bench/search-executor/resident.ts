import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../../src/adapters/search-process/resident.ts';

const SAMPLE_MS = 20;
const CALM_MS = 250;
const CALM_BYTES = 1024 * 1024;
const PATIENCE_MS = 30_000;

/** Runs `work` and tells the highest resident size above idle, bytes, that a search process of the worker had meanwhile. */
export async function watched<T>(worker: number, work: () => Promise<T>): Promise<{ readonly value: T; readonly peakBytes: number }> {
  const idle = await calm(worker);
  let peakBytes = 0;
  const sampler = setInterval(() => {
    for (const [pid, bytes] of idle) peakBytes = Math.max(peakBytes, (residentBytes(pid) ?? 0) - bytes);
  }, SAMPLE_MS);
  try {
    const value = await work();
    return { value, peakBytes };
  } finally {
    clearInterval(sampler);
  }
}

/** Waits until the processes are there and loaded: a search that used much memory has its process replaced afterwards. */
async function calm(worker: number): Promise<ReadonlyMap<number, number>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let last = sizes(worker); performance.now() < deadline; ) {
    await delay(CALM_MS);
    const now = sizes(worker);
    const same = now.size > 0 && now.size === last.size && [...now].every(([pid, bytes]) => Math.abs(bytes - (last.get(pid) ?? 0)) < CALM_BYTES);
    if (same) return now;
    last = now;
  }
  throw new Error('the search processes do not come to rest');
}

function sizes(worker: number): ReadonlyMap<number, number> {
  const children = readFileSync(`/proc/${worker}/task/${worker}/children`, 'latin1').trim().split(' ').map(Number);
  const searching = children.filter((pid) => pid > 0 && commandOf(pid).includes('search-process'));
  return new Map(searching.map((pid) => [pid, residentBytes(pid) ?? 0]));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
