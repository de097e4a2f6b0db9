import { z } from 'zod';
import { QueueAction, QueueList, QueueSwitch } from '../../../contracts/index.ts';
import { shownQueue, switchQueue } from '../../shared/queues.ts';
import { route } from '../route.ts';

const ActionParams = z.strictObject({
  queue: z.string().min(1).max(200).meta({ description: 'As `GET /v1/queues` names it.' }),
  action: QueueAction,
});

export const listQueues = route({
  method: 'GET',
  path: '/v1/queues',
  operation: 'listQueues',
  summary: 'The queues of the pool',
  description: 'How many jobs wait, run and failed, how many workers are connected, and whether the queue is paused.',
  tag: 'queues',
  access: ['read', 'operate'],
  responses: { 200: { description: 'Every queue, in a fixed order.', schema: QueueList } },
  problems: ['REDIS_UNAVAILABLE'],
  async handle({ services: { queues } }) {
    const body: QueueList = { queues: (await queues.list()).map(shownQueue) };
    return { status: 200, body, headers: { 'cache-control': 'no-store' } };
  },
});

export const switchOneQueue = route({
  method: 'POST',
  path: '/v1/queues/:queue/:action',
  operation: 'switchQueue',
  summary: 'Pause or resume a queue',
  description:
    '`pause`: no worker takes another job of the queue until somebody resumes it, over restarts too; what runs goes on, and pushes are taken. ' +
    'May be repeated; `changed` says whether it was otherwise before. Audited.',
  tag: 'queues',
  access: ['operate'],
  params: ActionParams,
  responses: { 200: { description: 'It is so now, for every worker.', schema: QueueSwitch } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle({ params, caller, services }) {
    return { status: 200, body: await switchQueue(params.queue, params.action, { surface: 'http', who: caller.name }, services) };
  },
});
