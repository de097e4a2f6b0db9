import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createConnection } from '../../queues/connection.ts';
import { createEnqueue } from '../../queues/enqueue.ts';
import { embeddedTarget } from '../../src/adapters/redis/embedded-files.ts';
import { createRedisLedger } from '../../src/adapters/redis/ledger.ts';
import { createRedisSignals } from '../../src/adapters/redis/signals.ts';
import { ExecutionResult } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { startProcess } from '../process.ts';
import { openSite } from '../throughput/site.ts';
import { watched } from './resident.ts';
import { MAX_RESULTS } from './sizes.ts';

/** Somewhat more than a search may run. */
const PATIENCE_MS = 630_000;

const Answer = z.object({
  count: z.number(),
  results: z.array(z.object({ id: z.string(), match_field: z.string(), match_snippet: z.string() })),
});

/** One search as a producer sees it. */
export interface Searched extends z.infer<typeof Answer> {
  /** From the call of `push` to the signed answer read from the ledger. */
  readonly ms: number;
  /** Of the search process, above its idle size. */
  readonly peakBytes: number;
}

/** A worker of its own process that serves the search queue on a real Redis. */
export interface SearchSite {
  search(capability: string, scope: string, query: string): Promise<Searched>;
  close(): Promise<void>;
}

/** @param settings the worker's `writ.toml` */
export async function openSearchSite(settings: string): Promise<SearchSite> {
  const site = await openSite();
  const closers: (() => Promise<unknown> | unknown)[] = [() => site.close()];
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    writeFileSync(site.places.configFile, settings, { mode: 0o600 });
    const worker = await startProcess(new URL('../../src/bin/writ.js', import.meta.url), ['worker', '--data-dir', site.places.dataDir, '--queues', 'search']);
    closers.push(() => worker.stop());
    const target = embeddedTarget(site.places.redis);
    const [forLedger, forQueue, subscriber] = [createConnection(target, 'ledger'), createConnection(target, 'worker'), createConnection(target, 'subscriber')];
    closers.push(() => {
      for (const connection of [forLedger, forQueue, subscriber]) connection.disconnect();
    });
    const ledger = createRedisLedger(forLedger, { retentionMs: 0 });
    const enqueue = createEnqueue({ connection: forQueue, ledger, results: { read: async () => undefined }, clock: systemClock, pool: 'default' });
    closers.push(() => enqueue.close());
    const signals = createRedisSignals(subscriber);

    return {
      async search(capability, scope, query) {
        const inputs = { query, target_scope: scope, max_results: MAX_RESULTS };
        const job = await site.sign({ task_id: randomUUID(), capability_id: capability, inputs, constraints: {} }, 'search');
        const { task_id: taskId } = job.manifest;
        let recorded = (): void => undefined;
        const outcome = new Promise<void>((resolve) => {
          recorded = resolve;
        });
        const leave = await signals.onRecorded(taskId, recorded);
        const { value, peakBytes } = await watched(worker.pid, async () => {
          const start = performance.now();
          await enqueue.push(job);
          await inTime(outcome, `${capability} in ${scope}`);
          const row = await ledger.row(taskId);
          return { text: row?.result ?? '', ms: performance.now() - start };
        });
        await leave();
        const result = ExecutionResult.parse(JSON.parse(value.text));
        if (result.status !== 'SUCCESS') throw new Error(`${capability} in ${scope} failed: ${JSON.stringify(result.error)}`);
        return { ...Answer.parse(result.output), ms: value.ms, peakBytes };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function inTime(outcome: Promise<void>, what: string): Promise<void> {
  const over = new AbortController();
  const late = delay(PATIENCE_MS, undefined, { signal: over.signal }).then(() => Promise.reject(new Error(`${what} has no answer`)));
  late.catch(() => undefined);
  try {
    await Promise.race([outcome, late]);
  } finally {
    over.abort();
  }
}
