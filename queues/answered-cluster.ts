import type { EventEmitter } from 'node:events';
import { Cluster, type ClusterNode, type ClusterOptions } from 'ioredis';
import type { RedisSettings } from '../src/adapters/redis/target.ts';

type ClusterSettings = Omit<ClusterOptions, 'redisOptions'> & { readonly redisOptions: RedisSettings };

/** In these a cluster becomes ready, or ends, of its own accord. */
const TRYING: ReadonlySet<string> = new Set(['connecting', 'connect', 'reconnecting']);
/** In these it may be without a connection to any server. */
const ALONE: ReadonlySet<string> = new Set(['connecting', 'close', 'reconnecting']);

/**
 * `AnsweredRedis` of a cluster: its connections to the servers are ioredis' own, and are not opened again but made anew.
 * ioredis leaves three things open:
 * - whoever connects is told of that one try, and of a try that ends in the ready check (`cluster_state:fail`, while a master
 *   is away) not even that. BullMQ connects a worker anew after each silence, and would wait for it for good.
 * - a cluster that is closed while it has no connection to any server waits for the last of them to end.
 * - each server's connection that ends later than the cluster sets its status back from `end` to `close`, which nothing ends.
 */
export class AnsweredCluster extends Cluster<'legacy'> {
  /** The constructor of ioredis connects before fields of this class are there, and one with a value would be set back. */
  declare private settled: Promise<void> | undefined;
  declare private ended: boolean | undefined;

  constructor(nodes: readonly ClusterNode[], options: ClusterSettings) {
    super([...nodes], options);
    this.duplicate = ((others: readonly ClusterNode[] = [], override: Partial<ClusterSettings> = {}) =>
      new AnsweredCluster(others.length > 0 ? others : nodes, { ...options, ...override })) as Cluster['duplicate'];
    this.on('end', () => {
      this.ended = true;
    });
    this.on('close', () => {
      if (this.ended) this.status = 'end';
    });
  }

  /** Resolves when the cluster serves, whichever try it is that brings it there. Rejects when it ends before. */
  override connect(): Promise<void> {
    this.ended = false;
    this.settled ??= readyOrEnd(this).finally(() => {
      this.settled = undefined;
    });
    const { settled } = this;
    // Each of ioredis' own tries comes here too, and it asks for none of their ends.
    settled.catch(() => undefined);
    return Promise.race([settled, this.refused()]);
  }

  /** A try that rejects and has no other after it. */
  private refused(): Promise<never> {
    const attempt = super.connect();
    return new Promise((_, fail) => {
      attempt.catch((error: unknown) => {
        if (!TRYING.has(this.status)) fail(error);
      });
    });
  }

  /** Where no connection to a server is left, it ends like one that was never opened. */
  override disconnect(reconnect = false): void {
    if (!reconnect && ALONE.has(this.status) && this.nodes().length === 0) this.status = 'wait';
    super.disconnect(reconnect);
  }
}

function readyOrEnd(events: EventEmitter): Promise<void> {
  return new Promise((settle, fail) => {
    const ready = (): void => {
      events.off('end', end);
      settle();
    };
    const end = (): void => {
      events.off('ready', ready);
      fail(new Error('Connection is closed.'));
    };
    events.once('ready', ready);
    events.once('end', end);
  });
}
