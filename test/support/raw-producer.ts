import { type JobsOptions, Queue, QueueEvents } from 'bullmq';
import { QUEUE_PREFIX } from '../../queues/catalog.ts';
import { createConnection } from '../../queues/connection.ts';
import { PATIENCE_MS } from './patience.ts';
import type { Rig } from './rig.ts';

/** How a job ended, as BullMQ shows it. */
export type RawEnd = { readonly returned: unknown } | { readonly failed: string };

/** A producer that has none of our code: it adds jobs to a queue by BullMQ alone. */
export interface RawProducer extends AsyncDisposable {
  readonly queue: Queue;
  readonly events: QueueEvents;
  /** Adds a job and waits for its end. */
  add(data: unknown, options?: JobsOptions): Promise<RawEnd>;
  close(): Promise<void>;
}

export async function startRawProducer({ redis }: Pick<Rig, 'redis'>, queueName: string): Promise<RawProducer> {
  const options = () => ({ connection: createConnection(redis.target(), 'worker'), prefix: QUEUE_PREFIX });
  const queue = new Queue(queueName, options());
  const events = new QueueEvents(queueName, options());
  await events.waitUntilReady();
  const close = async (): Promise<void> => {
    await events.close();
    await queue.close();
  };
  return {
    queue,
    events,
    async add(data, options) {
      const job = await queue.add('raw', data, options);
      return job.waitUntilFinished(events, PATIENCE_MS).then(
        (returned: unknown) => ({ returned }),
        (error: Error) => ({ failed: error.message }),
      );
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
