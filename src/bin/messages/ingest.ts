import type { Config } from '../../../config/schema.ts';
import { messageWriter } from '../../../processors/message-writer.ts';
import { createConnection } from '../../../queues/connection.ts';
import { createMessageLane, type MessageLaneOptions } from '../../../queues/message-lane.ts';
import { randomHex } from '../../adapters/crypto/random-hex.ts';
import type { RedisConnection } from '../../adapters/redis/redis-connection.ts';
import { systemClock } from '../../core/clock.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { part } from '../../core/parts.ts';
import type { MessageDoor, MessageLane } from '../../core/ports/index.ts';
import type { Places } from '../../data-dir/places.ts';
import { loadTantivy } from '../../messages/engines/tantivy/binding.ts';
import { createTantivyKeeper } from '../../messages/engines/tantivy/keeper.ts';
import { createVectorKeeper } from '../../messages/serving/vectors.ts';
import { createMessageStore } from '../../messages/store/store.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Logger } from '../../observability/logging.ts';
import { ingestTelemetry } from '../../observability/message-ingest.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { memoryGuard, redisTarget } from '../redis-target.ts';

interface LaneWiring {
  readonly config: Config;
  readonly connection: RedisConnection;
}

/** The way to the writer, for a process that only sends. */
export function sendingLane(wiring: LaneWiring): MessageLane {
  return createMessageLane(sending(wiring));
}

function sending({ config, connection }: LaneWiring): MessageLaneOptions {
  const guard = memoryGuard(config, connection);
  return { pool: config.pool.id, connection, newId: randomHex, now: systemClock.now, guard };
}

interface WriterWiring extends LaneWiring {
  readonly places: Places;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** The API of a data directory has its writer of messages: there is one of each. Where messages are off there is none. */
export function writingLane({ config, connection, places, log, metrics }: WriterWiring): { readonly door: MessageDoor; readonly parts: readonly Lifecycle[] } {
  if (!config.messages.enabled) return { door: CLOSED, parts: [] };
  const worker = createConnection(redisTarget(config, places), 'worker', (error) => log.warn({ err: error }, LOG_LINES.redis.message));
  const telemetry = ingestTelemetry(metrics, log);
  const lane = createMessageLane({
    ...sending({ config, connection }),
    worker,
    onFailed: telemetry.failed,
    onError: (error) => log.warn({ err: error }, LOG_LINES.queue.message),
  });
  const keeper =
    config.messages.tantivy && loadTantivy().ok
      ? createTantivyKeeper({ file: places.messages, root: places.messagesTantivy, ...telemetry.index('tantivy') })
      : undefined;
  const { vectors, model, vector_batch: batch } = config.messages;
  const vectorKeeper = vectors
    ? createVectorKeeper({ file: places.messages, directory: places.messagesVectors, model, batch, ...telemetry.index('vectors') })
    : undefined;
  const store = createMessageStore({
    file: places.messages,
    batchOps: config.messages.batch_size,
    onCommit(news) {
      telemetry.committed(news);
      if (news.rebuild === undefined) keeper?.follow();
      else keeper?.rebuild();
      if (news.documents > 0) vectorKeeper?.follow();
    },
    onRebuild: telemetry.rebuilding,
  });
  const onStandBy = (error: unknown): void => log.warn({ why: messageOf(error) }, LOG_LINES.messagesStandBy.message);
  const writer = messageWriter({ lane, store, onDone: telemetry.done, onStandBy });
  return {
    door: lane,
    parts: [
      part(
        () => undefined,
        () => worker.disconnect(),
      ),
      writer,
      // After the writer: the database is there then, where there can be one.
      ...(keeper === undefined ? [] : [keeper]),
      ...(vectorKeeper === undefined ? [] : [vectorKeeper]),
    ],
  };
}

const CLOSED: MessageDoor = {
  submit: off,
  settled: off,
};

async function off(): Promise<never> {
  throw new WritError('WRONG_STATE', 'messages are off here: messages.enabled is false');
}
