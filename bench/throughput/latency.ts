import { setTimeout as delay } from 'node:timers/promises';
import { createConnection } from '../../queues/connection.ts';
import { createEnqueue } from '../../queues/enqueue.ts';
import { embeddedTarget } from '../../src/adapters/redis/embedded-files.ts';
import { createRedisLedger } from '../../src/adapters/redis/ledger.ts';
import { createRedisSignals } from '../../src/adapters/redis/signals.ts';
import { systemClock } from '../../src/core/clock.ts';
import { startSide } from './side.ts';
import type { Site } from './site.ts';

const TASKS = 1_000;
const EVERY_MS = 10;

/** Push-to-result times at 100 tasks a second, milliseconds: from the call of `push` to the word that the outcome is recorded. */
export async function latency(site: Site, queue: string): Promise<{ p50: number; p99: number }> {
  const target = embeddedTarget(site.places.redis);
  const [ledgerConnection, queueConnection, subscriber] = [
    createConnection(target, 'ledger'),
    createConnection(target, 'worker'),
    createConnection(target, 'subscriber'),
  ];
  const enqueue = createEnqueue({
    connection: queueConnection,
    ledger: createRedisLedger(ledgerConnection, { retentionMs: 0 }),
    results: { read: async () => undefined },
    clock: systemClock,
    pool: 'default',
  });
  const signals = createRedisSignals(subscriber);
  const worker = await startSide(new URL('./worker.js', import.meta.url), { side: 'writ', home: site.home, queue, concurrency: 64, jobs: 0 });
  worker.begin();

  const times: number[] = [];
  const one = async (): Promise<void> => {
    const job = await site.job();
    let recorded = (): void => undefined;
    const outcome = new Promise<void>((resolve) => {
      recorded = resolve;
    });
    const leave = await signals.onRecorded(job.manifest.task_id, recorded);
    const start = performance.now();
    await enqueue.push(job, { queue });
    await outcome;
    times.push(performance.now() - start);
    await leave();
  };
  // The first ones meet cold code on both ends.
  for (let warm = 0; warm < 100; warm += 1) await one();
  times.length = 0;
  const all: Promise<void>[] = [];
  const start = performance.now();
  for (let sent = 0; sent < TASKS; sent += 1) {
    await delay(Math.max(0, start + sent * EVERY_MS - performance.now()));
    all.push(one());
  }
  await Promise.all(all);

  await worker.stop();
  await enqueue.close();
  for (const connection of [ledgerConnection, queueConnection, subscriber]) connection.disconnect();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
