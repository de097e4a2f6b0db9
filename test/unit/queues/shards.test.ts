import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinFigures } from '../../../queues/shard-figures.ts';
import { ONE_SHARD, queueShards, shardedName, shardPrefixes, slotsPerShard } from '../../../queues/shards.ts';
import {
  ALL_TAGS,
  CANCEL_CHANNEL,
  generationKey,
  planKey,
  REVOCATIONS_KEY,
  REVOKED_CHANNEL,
  recordedChannel,
  refusedKey,
  rowKey,
} from '../../../src/adapters/redis/keys.ts';
import { hashTagOf } from '../../../src/adapters/redis/redis-connection.ts';
import type { QueueFigures } from '../../../src/core/ports/index.ts';
import { slotOf } from '../../support/slots.ts';

const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,40}$/);
const shards = fc.integer({ min: 1, max: 64 });

describe('the shards of a queue', () => {
  it('are one with the bare name unless more are asked for', () => {
    expect(ONE_SHARD).toMatchObject({ own: ['{writ}'], all: ['{writ}'] });
    expect(shardPrefixes(3)).toEqual(['{writ-0}', '{writ-1}', '{writ-2}']);
    expect([shardedName('{writ}', 'file'), shardedName('{writ-1}', 'file')]).toEqual(['file', '{writ-1}:file']);
  });

  it('give each id one home among those in use, and look everywhere for its job', () => {
    fc.assert(
      fc.property(id, shards, fc.array(shards, { maxLength: 3 }), (taskId, now, earlier) => {
        const setting = queueShards({ shards: now, earlier_shards: earlier });
        expect(setting.own).toContain(setting.home(taskId));
        expect(setting.prefixesOf(taskId)[0]).toBe(setting.home(taskId));
        expect([...setting.prefixesOf(taskId)].sort()).toEqual([...setting.all].sort());
        for (const prefix of [now, ...earlier].flatMap(shardPrefixes)) expect(setting.all.includes(prefix)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('are filled evenly', () => {
    const setting = queueShards({ shards: 8, earlier_shards: [] });
    const counts = new Map<string, number>();
    for (let n = 0; n < 8000; n += 1) counts.set(setting.home(`task-${n}`), (counts.get(setting.home(`task-${n}`)) ?? 0) + 1);
    for (const prefix of setting.own) expect(counts.get(prefix)).toBeGreaterThan(850);
  });

  it('share the slots of a worker, and none goes without', () => {
    expect([1, 3, 4, 64].map((own) => slotsPerShard(4, queueShards({ shards: own, earlier_shards: [] })))).toEqual([4, 2, 1, 1]);
  });

  it('are shown as one queue', () => {
    const one: QueueFigures = { queue: 'file', waiting: 1, active: 2, delayed: 3, completed: 4, failed: 5, paused: false, oldestWaitingMs: 6, workers: 2 };
    const other = { ...one, paused: true, oldestWaitingMs: undefined, workers: 3 };
    expect(joinFigures([one, other])).toEqual({ ...one, waiting: 2, active: 4, delayed: 6, completed: 8, failed: 10, paused: true, workers: 3 });
    const failures = (codes: Record<string, number>) => ({ ...one, failures: codes, failuresSampled: 3 });
    expect(joinFigures([failures({ A: 1, B: 2 }), failures({ B: 3 })])).toMatchObject({ failures: { A: 1, B: 5 }, failuresSampled: 6 });
  });
});

describe('keys in a cluster', () => {
  it('lie in one slot for each shard, and for each tag of the ledger', () => {
    fc.assert(
      fc.property(id, id, shards, (taskId, other, count) => {
        for (const prefix of shardPrefixes(count)) {
          const keys = ['wait', 'active', 'events', 'meta', `t_${taskId}`, `t_${taskId}:lock`].flatMap((name) => [
            `${prefix}:file:${name}`,
            `${prefix}:plan@p:${name}`,
          ]);
          expect(new Set(keys.map(slotOf)).size).toBe(1);
        }
        const tag = hashTagOf(rowKey(taskId)).slice('wl-'.length);
        const ofTask = [rowKey(taskId), refusedKey(taskId, `{writ-1}:file:t_${other}`), planKey(taskId), generationKey(tag), recordedChannel(tag)];
        expect(new Set(ofTask.map(slotOf)).size).toBe(1);
      }),
      { numRuns: 30 },
    );
    expect(new Set([CANCEL_CHANNEL, REVOCATIONS_KEY, REVOKED_CHANNEL, generationKey('00')].map(slotOf)).size).toBe(1);
    expect(new Set(ALL_TAGS.map((tag) => slotOf(generationKey(tag)))).size).toBe(256);
  });

  it('hash as Redis hashes them', () => {
    // From the specification of Redis Cluster, and CLUSTER KEYSLOT of 7.0.15.
    expect([slotOf('123456789'), slotOf('{user1000}.following'), slotOf('foo{}{bar}'), slotOf('foo{{bar}}zap')]).toEqual([0x31c3, 3443, 8363, 4015]);
    expect([hashTagOf('foo{bar}{zap}'), hashTagOf('foo{}{bar}'), hashTagOf('{open')]).toEqual(['bar', 'foo{}{bar}', '{open']);
  });

  it('reach the scripts as arguments: a script names no key itself', () => {
    const lua = new URL('../../../src/adapters/redis/lua/', import.meta.url);
    const codeOf = (file: string): string =>
      readFileSync(new URL(file, lua), 'utf8')
        .replace(/--\[\[[\s\S]*?\]\]/g, '')
        .replace(/--.*$/gm, '');
    const NAMES_A_KEY = /\{w|redis\.p?call\(\s*'[A-Z]+'\s*,\s*['"]/;
    // It stands before each of them.
    expect(codeOf('../row.lua')).not.toMatch(NAMES_A_KEY);
    for (const file of readdirSync(lua)) {
      const code = codeOf(file);
      expect(code, file).not.toMatch(NAMES_A_KEY);
      const most = Math.max(...[...code.matchAll(/KEYS\[(\d+)\]/g)].map(([, number]) => Number(number)));
      // `-n`: as many as the call has tasks; it counts them.
      if (file.endsWith('-n.lua')) expect(code, file).toContain('#KEYS');
      else expect(file).toMatch(new RegExp(`-${most}\\.lua$`));
    }
  });
});
