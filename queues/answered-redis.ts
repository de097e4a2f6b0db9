import { Redis } from 'ioredis';
import type { RedisSettings } from '../src/adapters/redis/target.ts';

const CLOSED = 'Connection is closed.';

/**
 * A connection that leaves no command without an answer, and that always ends. ioredis forgets a command, so that its
 * promise never settles, in three places: when it may be written before the connection is ready (INFO) and that
 * connection is lost; when its connection was lost and the next one is lost in its handshake, for as long as that goes on;
 * and when the owner closes the connection during the pause before the next try.
 *
 * The commands of one turn leave in one write: whoever resumes together when a reply comes asks together, and each write
 * wakes another process.
 */
export class AnsweredRedis extends Redis<'legacy'> {
  /** Sent on a connection that was lost; ioredis sends them again when the next one is ready. */
  private unanswered: Redis['commandQueue'] | undefined;
  private wasReady = false;
  private losses = 0;
  private holding = false;

  constructor(options: RedisSettings) {
    super(options);
    // BullMQ makes its own connections in this way. Its type depends on the override, of which only one mapping is left here.
    this.duplicate = ((override?: Partial<RedisSettings>) => new AnsweredRedis({ ...this.options, ...override } as RedisSettings)) as Redis['duplicate'];
    this.on('ready', () => {
      this.wasReady = true;
      this.losses = 0;
      this.unanswered = undefined;
    });
    this.on('close', () => this.lost());
    this.on('end', () => this.refuseUnanswered());
  }

  override sendCommand(...command: Parameters<Redis<'legacy'>['sendCommand']>): unknown {
    if (!this.holding && this.status === 'ready') this.hold();
    return super.sendCommand(...command);
  }

  private hold(): void {
    const { stream } = this;
    this.holding = true;
    stream.cork();
    process.nextTick(() => {
      this.holding = false;
      stream.uncork();
    });
  }

  /** In the pause before the next try there is no socket whose end could be heard: it ends like one that was never opened. */
  override disconnect(reconnect = false): void {
    if (!reconnect && this.status === 'reconnecting') this.status = 'wait';
    super.disconnect(reconnect);
  }

  private lost(): void {
    this.losses += 1;
    if (this.wasReady) this.unanswered = this.commandQueue;
    else refuse(this.commandQueue);
    this.wasReady = false;
    const { maxRetriesPerRequest: most } = this.options;
    if (typeof most === 'number' && this.losses % (most + 1) === 0) this.refuseUnanswered();
  }

  private refuseUnanswered(): void {
    if (this.unanswered !== undefined) refuse(this.unanswered);
    this.unanswered = undefined;
  }
}

function refuse(commands: Redis['commandQueue']): void {
  for (let item = commands.shift(); item !== undefined; item = commands.shift()) item.command.reject(new Error(CLOSED));
}
