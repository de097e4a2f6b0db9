import { z } from 'zod';

/** Settings of [redis] for a Redis Cluster (docs/scaling.md). */
export const CLUSTER = {
  cluster: z.boolean().default(false).describe('Whether redis.url names a node of a Redis Cluster (docs/scaling.md); the others are found through it.'),
  cluster_nodes: z
    .array(z.string().regex(/^(\[[0-9A-Fa-f:]+\]|[^\s:[\]]+):\d{1,5}$/, 'must be host:port'))
    .default([])
    .describe('Further nodes of the cluster, host:port, to begin with when the one of redis.url is away.'),
  wait_replicas: z
    .int()
    .min(0)
    .max(16)
    .default(0)
    .describe('Replicas that must have a push before it is acknowledged (WAIT); it narrows what a failover loses and does not end it. 0: none.'),
  wait_ms: z.int().min(1).max(60_000).default(200).describe('Longest wait for them; then the push is refused as not safe, though it may be queued.'),
} as const;

/** The section [queue]. */
export const QueueSettings = z.strictObject({
  shards: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Shards that the jobs of each queue are spread over, so that the servers of a cluster share them; on one server 1 is best.'),
  earlier_shards: z
    .array(z.int().min(1).max(64))
    .default([1])
    .describe('Numbers of shards that were in use before: workers serve what is left there, and it is shown, until you take the number out.'),
});

/** What is wrong with the settings of a cluster together. */
export function clusterFaults({
  redis,
}: {
  readonly redis: { readonly cluster: boolean; readonly url: string };
}): readonly { readonly path: string[]; readonly message: string }[] {
  if (!redis.cluster || /^rediss?:/.test(redis.url)) return [];
  return [{ path: ['redis', 'cluster'], message: 'needs redis.url with the redis:// or rediss:// address of a node' }];
}
