import { expect, it } from 'vitest';
import { createInFlight } from '../../../processors/in-flight.ts';
import { createQueueWorker } from '../../../processors/queue-worker.ts';
import { QUEUE_PREFIX, workerOptions } from '../../../queues/catalog.ts';
import { createConnection } from '../../../queues/connection.ts';
import { laneLife } from '../../../queues/lane-life.ts';
import { openQueue } from '../../../queues/open-queue.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { muteServer } from '../../support/mute-server.ts';

/** Longer than any test: what waits for it hangs. */
const NEVER_MS = 2 ** 31 - 1;
const LOCKS = workerOptions({ lockMs: 30_000, renewMs: 10_000, stalledMs: 30_000 }, 1);

it.each([
  [
    'a worker of a queue',
    (url: string): [Lifecycle, () => void] => {
      const connection = createConnection({ url }, 'worker');
      const options = { queue: 'file', worker: { ...LOCKS, connection }, drainMs: NEVER_MS, onError: () => undefined };
      const handle = () => Promise.reject(new Error('there are no jobs'));
      return [createQueueWorker(options, { clock: systemClock, inFlight: createInFlight(), handle }), () => connection.disconnect()];
    },
  ],
  [
    'a lane',
    (url: string): [Lifecycle, () => void] => {
      const [producer, connection] = [createConnection({ url }, 'producer'), createConnection({ url }, 'worker')];
      const queue = openQueue('lane', QUEUE_PREFIX, producer);
      const lane = laneLife<'work'>({ queue, connection, settings: LOCKS, onError: () => undefined, patienceMs: NEVER_MS, run: async () => undefined });
      lane.process('work');
      return [
        lane,
        () => {
          for (const redis of [producer, connection]) redis.disconnect();
        },
      ];
    },
  ],
])('%s that is stopped while Redis has never answered ends, and so does its start', async (_name, make) => {
  await using redis = await muteServer();
  const [part, disconnect] = make(redis.url);
  try {
    const starting = part.start();
    starting.catch(() => undefined);
    await redis.asked;
    await part.stop();
    await expect(starting).rejects.toThrow('stopped while it started');
  } finally {
    disconnect();
  }
});
