import { Cluster, type ClusterNode, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

type Command = Parameters<Redis['sendCommand']>[0];
type Stream = Parameters<Redis['sendCommand']>[1];

/** What ioredis itself says before a connection is ready; INFO without an argument is its look whether Redis has loaded. */
const HANDSHAKE: ReadonlySet<string> = new Set(['auth', 'select', 'client', 'readonly']);
const CLOSED = 'Connection is closed.';

/**
 * A connection that leaves no command without an answer, and that always ends. ioredis forgets a command, so that its
 * promise never settles, in three places: when it was sent before the connection was ready and that connection is lost;
 * when its connection was lost and the next one is lost in its handshake, for as long as that goes on; and when the
 * owner closes the connection during the pause before the next try.
 */
export class AnsweredRedis extends Redis {
  /** Sent on a connection that was lost; ioredis sends them again when the next one is ready. */
  private unanswered: Redis['commandQueue'] | undefined;
  private wasReady = false;
  private losses = 0;

  constructor(options: RedisOptions) {
    super(options);
    this.on('ready', () => {
      this.wasReady = true;
      this.losses = 0;
      this.unanswered = undefined;
    });
    this.on('close', () => this.lost());
    this.on('end', () => this.refuseUnanswered());
  }

  /** BullMQ makes its own connections in this way. */
  override duplicate(override?: Partial<RedisOptions>): AnsweredRedis {
    return new AnsweredRedis({ ...this.options, ...override });
  }

  /** Before the connection is ready only its handshake is written; the rest waits for it, or is refused, by its kind. */
  override sendCommand(command: Command, stream?: Stream): unknown {
    if (this.status !== 'connect' || isHandshake(command)) return super.sendCommand(command, stream);
    this.status = 'connecting';
    try {
      return super.sendCommand(command, stream);
    } finally {
      if (this.status === 'connecting') this.status = 'connect';
    }
  }

  /** In the pause before the next try there is no socket whose end could be heard: it ends like one that was never opened. */
  override disconnect(reconnect = false): void {
    if (!reconnect && this.status === 'reconnecting') this.status = 'wait';
    super.disconnect(reconnect);
  }

  private lost(): void {
    this.losses += 1;
    if (this.wasReady) this.unanswered = this.commandQueue;
    this.wasReady = false;
    const { maxRetriesPerRequest: most } = this.options;
    if (typeof most === 'number' && this.losses % (most + 1) === 0) this.refuseUnanswered();
  }

  private refuseUnanswered(): void {
    const { unanswered } = this;
    this.unanswered = undefined;
    for (let item = unanswered?.shift(); item !== undefined; item = unanswered?.shift()) item.command.reject(new Error(CLOSED));
  }
}

/** The same of a cluster: its connections to the servers are ioredis' own, and are not opened again but made anew. */
export class AnsweredCluster extends Cluster {
  private readonly beginWith: readonly ClusterNode[];

  constructor(nodes: readonly ClusterNode[], options: ClusterOptions) {
    super([...nodes], options);
    this.beginWith = nodes;
  }

  override duplicate(nodes: readonly ClusterNode[] = [], options: ClusterOptions = {}): AnsweredCluster {
    return new AnsweredCluster(nodes.length > 0 ? nodes : this.beginWith, { ...this.options, ...options });
  }

  override disconnect(reconnect = false): void {
    if (!reconnect && this.status === 'reconnecting') this.status = 'wait';
    super.disconnect(reconnect);
  }
}

function isHandshake({ name, args }: Command): boolean {
  return HANDSHAKE.has(name) || (name === 'info' && args.length === 0);
}
