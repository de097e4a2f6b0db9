import { openBoardQueues } from '../../../../../queues/board-queues.ts';
import type { Lanes } from '../../../../../queues/catalog.ts';
import { startTestRedis, type TestRedis } from '../../../../support/redis.ts';
import { coreServices } from '../core-site.ts';
import { type BoardSite, startBoardSite } from './board-site.ts';

/** The board over the queues of the default pool with these lanes, on a Redis of its own. */
export interface LaneBoard extends BoardSite {
  readonly redis: TestRedis;
}

export async function startLaneBoard(lanes: Lanes): Promise<LaneBoard> {
  const redis = await startTestRedis();
  const queues = openBoardQueues({ connection: await redis.client('ledger'), pool: 'default', lanes });
  const { tasks, plans, audit } = coreServices;
  const site = await startBoardSite({ queues: queues.queues, audit, tasks, plans: plans.plans });
  return {
    redis,
    call: site.call,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await queues[Symbol.asyncDispose]();
      await redis.stop();
    },
  };
}
