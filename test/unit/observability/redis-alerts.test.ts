import { describe } from 'vitest';
import { type Story, tellStories } from '../../support/alerts.ts';

const redis = (name: string, values: string) => ({ [`writ_redis_${name}{role="api", instance="api"}`]: values });

describe('prometheus/redis-alerts.yml', () => {
  const stories: [string, Story][] = [
    ['Redis is away', { alert: 'WritRedisUnreadable', series: { 'writ_exporter_up{role="api"}': '0x9' }, after: '4m', labels: {} }],
    ['Redis was away for a moment', { alert: 'WritRedisUnreadable', series: { 'writ_exporter_up{role="api"}': '1 0 1x9' }, after: '4m', labels: undefined }],
    ['Redis may evict', { alert: 'WritRedisPolicy', series: redis('noeviction', '0x9'), after: '2m', labels: {} }],
    ['Redis may not evict', { alert: 'WritRedisPolicy', series: redis('noeviction', '1x9'), after: '2m', labels: undefined }],
    [
      'Redis is nearly full',
      { alert: 'WritRedisMemory', series: { ...redis('memory_used_bytes', '90x20'), ...redis('memory_limit_bytes', '100x20') }, after: '8m', labels: {} },
    ],
    [
      'Redis has no limit',
      { alert: 'WritRedisMemory', series: { ...redis('memory_used_bytes', '90x20'), ...redis('memory_limit_bytes', '0x20') }, after: '8m', labels: undefined },
    ],
    [
      'Redis writes no file',
      { alert: 'WritRedisPersistence', series: { ...redis('append_only', '0x9'), ...redis('append_only_ok', '1x9') }, after: '3m', labels: {} },
    ],
    [
      'Redis cannot write its file',
      { alert: 'WritRedisPersistence', series: { ...redis('append_only', '1x9'), ...redis('append_only_ok', '0x9') }, after: '3m', labels: {} },
    ],
    [
      'Redis writes its file',
      { alert: 'WritRedisPersistence', series: { ...redis('append_only', '1x9'), ...redis('append_only_ok', '1x9') }, after: '3m', labels: undefined },
    ],
  ];
  tellStories('redis', stories);
});
