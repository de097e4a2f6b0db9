import { Cluster, Redis } from 'ioredis';
import type { RedisSettings } from './target.ts';

/** One server, or a Redis Cluster; both take the same commands, but a cluster only with all keys of one command in one slot. */
export type RedisConnection = Redis | Cluster;

/** Another connection to the same place; the options are those of each server's connection. */
export function duplicateOf(redis: RedisConnection, options: RedisSettings): RedisConnection {
  if (!(redis instanceof Cluster)) return redis.duplicate(options);
  const { enableOfflineQueue = true } = options;
  const own: RedisSettings = redis.options.redisOptions ?? {};
  return redis.duplicate(undefined, { enableOfflineQueue, redisOptions: { ...own, ...options } });
}

/** A command whose first argument is its key. */
export type KeyedCommand = readonly [name: string, key: string, ...args: (string | number)[]];

/** What a pipeline answers for one command. */
export type CommandAnswer = readonly [error: Error | null, reply: unknown];

/** Every server that a connection reaches and that takes writes. */
export function masters(redis: RedisConnection): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/** Those and their replicas, which may be masters tomorrow. */
export function allServers(redis: RedisConnection): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('all') : [redis];
}

/** Many commands at once, their answers in their order. In a cluster those of one slot share a pipeline. */
export async function pipelined(redis: RedisConnection, commands: readonly KeyedCommand[]): Promise<readonly CommandAnswer[]> {
  if (!(redis instanceof Cluster)) return exec(redis, commands);
  const answers: CommandAnswer[] = commands.map(() => [null, null]);
  await Promise.all(
    bySlot(commands).map(async ({ places, group }) => {
      const replies = await exec(redis, group);
      for (const [at, place] of places.entries()) answers[place] = replies[at] ?? [null, null];
    }),
  );
  return answers;
}

/** The replies of many commands; a key that holds something of another type is as good as none. Throws what any of them was refused for. */
export async function replies(redis: RedisConnection, commands: readonly KeyedCommand[]): Promise<readonly unknown[]> {
  const answers = await pipelined(redis, commands);
  return answers.map(([error, reply]) => {
    if (error === null) return reply;
    if (error.message.startsWith('WRONGTYPE')) return undefined;
    throw error;
  });
}

/** Whether any of these keys exists: one command, in a cluster one for each slot. */
export async function isAnyThere(redis: RedisConnection, keys: readonly string[]): Promise<boolean> {
  return (await howManyThere(redis, keys)) > 0;
}

/** How many of the keys exist, by one command for each slot; a key that is named twice counts twice. */
export async function howManyThere(redis: RedisConnection, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0;
  if (!(redis instanceof Cluster)) return redis.exists(...keys);
  const slots = bySlot(keys.map((key) => ['exists', key] as const)).map(({ group }) => group.map(([, key]) => key));
  const counts = await Promise.all(slots.map((slot) => redis.exists(...slot)));
  return counts.reduce((sum, count) => sum + count, 0);
}

interface SlotGroup {
  readonly group: KeyedCommand[];
  /** Where each stands among all. */
  readonly places: number[];
}

function bySlot(commands: readonly KeyedCommand[]): readonly SlotGroup[] {
  const groups = new Map<string, SlotGroup>();
  for (const [place, command] of commands.entries()) {
    const tag = hashTagOf(command[1]);
    const { group, places } = groups.get(tag) ?? { group: [], places: [] };
    if (group.length === 0) groups.set(tag, { group, places });
    group.push(command);
    places.push(place);
  }
  return [...groups.values()];
}

/**
 * To one server the commands leave in one write. A pipeline of ioredis does the same and makes two functions for every script
 * that the connection knows, BullMQ's seventy among them: more than half of the garbage of a bulk retry.
 */
async function exec(redis: RedisConnection, commands: readonly KeyedCommand[]): Promise<readonly CommandAnswer[]> {
  if (!(redis instanceof Redis) || redis.status !== 'ready') return (await redis.pipeline(commands.map((command) => [...command])).exec()) ?? [];
  const { stream } = redis;
  stream.cork();
  const sent = commands.map(([name, ...args]) => redis.call(name, ...args));
  stream.uncork();
  const ends = await Promise.allSettled(sent);
  return ends.map((end): CommandAnswer => (end.status === 'fulfilled' ? [null, end.value] : [errorOf(end.reason), null]));
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** The part of a key that decides its slot: between the first `{` and the next `}`, unless nothing is there. */
export function hashTagOf(key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open < 0 || close <= open + 1 ? key : key.slice(open + 1, close);
}
