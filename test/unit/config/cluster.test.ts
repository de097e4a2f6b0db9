import { describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { clusterOptions, targetOptions } from '../../../src/adapters/redis/target.ts';
import { redisTarget } from '../../../src/bin/redis-target.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';

describe('the settings of a cluster', () => {
  it('are one server and one shard unless asked for, with room for the one shard of before', () => {
    const { redis, queue } = ConfigSchema.parse({});
    expect([redis.cluster, redis.wait_replicas, queue]).toEqual([false, 0, { shards: 1, earlier_shards: [1] }]);
  });

  it('need the address of a node, as TCP', () => {
    for (const url of ['', 'unix:///run/redis.sock']) {
      const { success, error } = ConfigSchema.safeParse({ redis: { cluster: true, url } });
      expect([success, error?.issues[0]?.path]).toEqual([false, ['redis', 'cluster']]);
    }
    expect(ConfigSchema.safeParse({ redis: { cluster_nodes: ['no port'] } }).success).toBe(false);
    expect(ConfigSchema.safeParse({ queue: { shards: 65 } }).success).toBe(false);
  });

  it('begin with all named nodes and share user, password and TLS, but no database', () => {
    const config = ConfigSchema.parse({ redis: { cluster: true, url: 'rediss://ada:secret@r1:6380', cluster_nodes: ['r2:6381', '[::1]:6382'] } });
    const target = redisTarget(config, dataDirPaths('/nowhere'));
    if (target.cluster === undefined) throw new Error('this is no cluster');
    const { nodes, options } = clusterOptions(target);
    expect(nodes).toEqual([
      { host: 'r1', port: 6380 },
      { host: 'r2', port: 6381 },
      { host: '::1', port: 6382 },
    ]);
    expect(options).toMatchObject({ username: 'ada', password: 'secret' });
    expect(options).toHaveProperty('tls');
    expect(options).not.toHaveProperty('db');
    expect(targetOptions(target)).toMatchObject({ host: 'r1', port: 6380 });
  });
});
