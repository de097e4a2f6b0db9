import type { CallOptions } from './tasks.ts';
import type { Transport } from './transport.ts';
import type { QueueList, QueueSwitch } from './types.ts';

/** The queues of the server's pool. */
export interface QueuesApi {
  /** Jobs, workers, and whether a queue is paused; needs the role `read` or `operate`. */
  list(options?: CallOptions): Promise<QueueList>;
  /** No worker takes another job until `resume`; what runs goes on. Needs the role `operate`. */
  pause(queue: string, options?: CallOptions): Promise<QueueSwitch>;
  /** Workers take its jobs again. */
  resume(queue: string, options?: CallOptions): Promise<QueueSwitch>;
}

/** The queue methods. Each may be called twice. */
export function createQueues(transport: Transport): QueuesApi {
  const ask =
    (action: string) =>
    async (queue: string, { signal }: CallOptions = {}): Promise<QueueSwitch> =>
      (await transport.json<QueueSwitch>({ method: 'POST', path: `/v1/queues/${encodeURIComponent(queue)}/${action}`, signal, repeatable: true })).body;
  return {
    list: async ({ signal } = {}) => (await transport.json<QueueList>({ method: 'GET', path: '/v1/queues', signal, repeatable: true })).body,
    pause: ask('pause'),
    resume: ask('resume'),
  };
}
