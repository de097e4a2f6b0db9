import { z } from 'zod';
import { QueueList, QueueSwitch } from '../../../contracts/index.ts';
import { shownQueue, switchQueue } from '../../shared/queues.ts';
import { LOOKS_ONLY, tool } from '../tool.ts';

export const listQueuesTool = tool({
  name: 'list_queues',
  title: 'The queues of the pool',
  description: 'How many jobs wait, run and failed, how many workers are connected, and whether a queue is paused.',
  access: ['read', 'operate'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({}),
  output: QueueList,
  async run({ services }) {
    return { queues: (await (await services.queues()).list()).map(shownQueue) };
  },
});

const input = z.strictObject({ queue: z.string().min(1).max(200).meta({ description: 'As list_queues names it.' }) });
const SWITCHES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

export const pauseQueue = tool({
  name: 'pause_queue',
  title: 'Pause a queue',
  description: 'No worker takes another job of it until it is resumed; what runs goes on, and pushes are taken. May be repeated. Audited.',
  access: ['operate'],
  annotations: SWITCHES,
  input,
  output: QueueSwitch,
  run: async ({ input: { queue }, caller, services }) =>
    switchQueue(queue, 'pause', { surface: 'mcp', who: caller.name }, { queues: await services.queues(), audit: await services.audit() }),
});

export const resumeQueue = tool({
  name: 'resume_queue',
  title: 'Resume a queue',
  description: 'Workers take the jobs of a paused queue again. May be repeated. Audited.',
  access: ['operate'],
  annotations: SWITCHES,
  input,
  output: QueueSwitch,
  run: async ({ input: { queue }, caller, services }) =>
    switchQueue(queue, 'resume', { surface: 'mcp', who: caller.name }, { queues: await services.queues(), audit: await services.audit() }),
});
