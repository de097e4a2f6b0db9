import { createHash } from 'node:crypto';
import { QUEUE_PREFIX } from './catalog.ts';

/**
 * Where the jobs of a queue lie: BullMQ's key prefixes, one for each shard (docs/scaling.md). The braces keep all keys of a
 * shard in one cluster slot. Leases and people name the queue; nobody but the code in `queues` knows its shards.
 */
export interface QueueShards {
  /** Where new jobs go. */
  readonly own: readonly string[];
  /** Those, and the ones of earlier settings: all are served, shown and looked into until they are empty. */
  readonly all: readonly string[];
  /** Where the job of this task or plan goes. */
  home(id: string): string;
  /** Where it may lie, its home first. */
  prefixesOf(id: string): readonly string[];
}

/** The prefixes of a number of shards. One shard has the bare name, so that who never shards sees nothing of it. */
export function shardPrefixes(shards: number): readonly string[] {
  return shards === 1 ? [QUEUE_PREFIX] : Array.from({ length: shards }, (_, number) => `{writ-${number}}`);
}

/** `shards`: in use; `earlier_shards`: numbers that were in use before and may still hold jobs. */
export function queueShards({ shards, earlier_shards: earlier }: { readonly shards: number; readonly earlier_shards: readonly number[] }): QueueShards {
  const own = shardPrefixes(shards);
  const all = [...new Set([...own, ...earlier.flatMap(shardPrefixes)])];
  const home = (id: string): string => own[own.length === 1 ? 0 : numberOf(id) % own.length] ?? QUEUE_PREFIX;
  return {
    own,
    all,
    home,
    prefixesOf: (id) => (all.length === 1 ? all : [home(id), ...all.filter((prefix) => prefix !== home(id))]),
  };
}

export const ONE_SHARD: QueueShards = queueShards({ shards: 1, earlier_shards: [] });

/** The slots that one shard gets of those of a queue: together at least as many, and one at least. */
export function slotsPerShard(slots: number, { own }: QueueShards): number {
  return Math.ceil(slots / own.length);
}

/** What names a job in the ledger and on the board: BullMQ numbers the jobs of each shard for itself. */
export function shardedName(prefix: string, name: string): string {
  return prefix === QUEUE_PREFIX ? name : `${prefix}:${name}`;
}

/** Where the job lies that a job key names: `<queue>:<jobId>`, after its shard unless that is the default one. */
export function placeOfJob(jobKey: string): { readonly prefix: string; readonly queue: string; readonly jobId: string } {
  const [, prefix = QUEUE_PREFIX, queue = '', jobId = ''] = /^(?:(\{[^}]*\}):)?([^:]*):(.*)$/s.exec(jobKey) ?? [];
  return { prefix, queue, jobId };
}

/** Even over ids; other bits than those that choose the ledger's tag. */
function numberOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(4);
}
