import type { EventEmitter } from 'node:events';
import type { RevocationSignals, TaskSignals } from '../../core/ports/index.ts';
import { CANCEL_CHANNEL, REVOKED_CHANNEL, recordedChannel, tagOf } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';

type Listener = (message: string) => void;

/**
 * Outcomes, cancels and revocations as they are published. A waiter subscribes only to the channel of its task's tag;
 * a channel is left with its last listener. ioredis subscribes again after a reconnect; what was published meanwhile is
 * lost, so callers also look.
 *
 * @param subscriber a connection of its own: a subscribed one can do nothing else
 */
export function createRedisSignals(subscriber: RedisConnection): TaskSignals & RevocationSignals {
  const channels = new Map<string, Set<Listener>>();
  const messages: EventEmitter = subscriber;
  messages.on('message', (channel: string, message: string) => {
    for (const listener of channels.get(channel) ?? []) listener(message);
  });

  const listen = async (channel: string, listener: Listener): Promise<() => Promise<void>> => {
    const listeners = channels.get(channel) ?? new Set();
    // Redis answers in order, so a later listener of the channel waits for the first one's subscription as well.
    channels.set(channel, listeners.add(listener));
    const leave = async (): Promise<void> => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      channels.delete(channel);
      await redisCall(() => subscriber.unsubscribe(channel)).catch(() => undefined);
    };
    try {
      await redisCall(() => subscriber.subscribe(channel));
    } catch (error) {
      await leave();
      throw error;
    }
    return leave;
  };

  return {
    onRecorded: (taskId, listener) => listen(recordedChannel(tagOf(taskId)), (recorded) => recorded === taskId && listener()),
    onCancel: (listener) => listen(CANCEL_CHANNEL, (taskId) => listener(taskId)),
    onPublished: (listener) => listen(REVOKED_CHANNEL, (newest) => listener(Number(newest))),
  };
}
