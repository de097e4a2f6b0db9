import { unknownSearchEngine } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import type { MessageLaneOptions } from '../../queues/message-lane.ts';
import { randomHex } from '../adapters/crypto/random-hex.ts';
import { isThere } from '../adapters/files/is-there.ts';
import type { RedisConnection } from '../adapters/redis/redis-connection.ts';
import { systemClock } from '../core/clock.ts';
import { messageOf, WritError } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { lifecycle } from '../core/lifecycle.ts';
import type { IngestGateway, MessageLane, MessageSearch, MessageSearchEvent } from '../core/ports/index.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';
import { searchForHost, searchOnHost } from '../messages/serving/message-search.ts';
import { MESSAGES_OFF } from '../messages/serving/off.ts';
import { postgresqlOf } from '../messages/serving/postgresql-target.ts';
import { readOnlyGateway, readOnlyRefusal } from '../messages/serving/read-only.ts';
import { searchOptionsOf } from '../messages/serving/search-options.ts';
import { LOG_LINES } from '../observability/log-lines.ts';
import type { Logger } from '../observability/logging.ts';
import { type DatabaseFinding, messageDatabaseTelemetry } from '../observability/message-database.ts';
import { ingestTelemetry } from '../observability/message-ingest.ts';
import { messageSearchTelemetry } from '../observability/message-search.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { MessageIngest } from '../surfaces/cli/services.ts';
import type { CliRedis, CliSettings } from './cli/settings.ts';
import type { RoleContext } from './roles/context.ts';

interface Wiring {
  readonly config: Config;
  readonly places: DataDirPaths;
}

/** Search in the messages of a data directory; where messages are off, every question throws WritError WRONG_STATE. @throws WritError STORAGE_UNAVAILABLE where this account may not look */
export function openMessageSearch(wiring: Wiring): Lifecycle & MessageSearch {
  const { enabled, read_only: readOnly, engine } = wiring.config.messages;
  if (enabled && readOnly && engine !== 'postgresql') throw new WritError('WRONG_STATE', 'this host has no store of messages (messages.read_only)');
  // A search that finds no store finds nothing; one that may not look has not searched.
  if (enabled && !readOnly) isThere(wiring.places.messages);
  return wiring.config.messages.enabled ? searchOnHost(searchOptionsOf(wiring.config.messages, wiring.places)) : MESSAGES_OFF;
}

interface HostWiring extends Wiring {
  readonly onEvent: (event: MessageSearchEvent) => void;
  readonly onServer: (finding: DatabaseFinding) => void;
  readonly onSocketError: (error: unknown) => void;
}

/** The same for the process that searches for all others of this host. */
export function openHostSearch({ onEvent, onServer, onSocketError, ...wiring }: HostWiring): Lifecycle & MessageSearch {
  return wiring.config.messages.enabled
    ? searchForHost({ ...searchOptionsOf(wiring.config.messages, wiring.places), onEvent, onServer }, onSocketError)
    : MESSAGES_OFF;
}

/** Search in messages as a role has it: what happens is counted and logged, and a wrong SEARCH_ENGINE is told of. */
export function messageSearchOfRole({ config, places, log }: RoleContext, metrics: Metrics): Lifecycle & MessageSearch {
  const word = unknownSearchEngine();
  if (word !== undefined) log.warn({ word: word.slice(0, 64) }, LOG_LINES.messageEngineUnknown.message);
  const onSocketError = (error: unknown): void => log.warn({ err: error }, LOG_LINES.messageSocket.message);
  const onServer = messageDatabaseTelemetry(metrics, log);
  return openHostSearch({ config, places, onEvent: messageSearchTelemetry(metrics, log), onServer, onSocketError });
}

interface WriterWiring extends Wiring {
  readonly connection: RedisConnection;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** The API of a data directory has its writer of messages: there is one of each. Where messages are off there is none. */
export async function openMessageWriter(wiring: WriterWiring): Promise<{ readonly gateway: IngestGateway; readonly parts: readonly Lifecycle[] }> {
  const { config, places, connection, log, metrics } = wiring;
  if (!config.messages.enabled) return { gateway: MESSAGES_OFF, parts: [] };
  if (config.messages.read_only) return { gateway: readOnlyGateway(postgresqlOf(config.messages).postgresql), parts: [] };
  const [{ createConnection }, { redisTarget }, { messageWriter }, { createIndexedStore }] = await Promise.all([
    import('../../queues/connection.ts'),
    import('./redis-target.ts'),
    import('../../processors/message-writer.ts'),
    import('../messages/serving/message-writer.ts'),
  ]);
  const worker = createConnection(redisTarget(config, places), 'worker', (error) => log.warn({ err: error }, LOG_LINES.redis.message));
  const telemetry = ingestTelemetry(metrics, log);
  const lane = await messageLane(config, connection, { worker, onFailed: telemetry.failed, onError: (err) => log.warn({ err }, LOG_LINES.queue.message) });
  const { batch_size: batchOps, tantivy, vectors, model, vector_batch: batch } = config.messages;
  const { store, indexes } = createIndexedStore({
    file: places.messages,
    batchOps,
    tantivy: tantivy ? places.messagesTantivy : undefined,
    vectors: vectors ? { directory: places.messagesVectors, model, batch } : undefined,
    ...postgresqlOf(config.messages),
    ...{ onCommit: telemetry.committed, onRebuild: telemetry.rebuilding, onLost: telemetry.lost },
    listener: telemetry.index,
  });
  const onStandBy = (error: unknown): void => log.warn({ why: messageOf(error) }, LOG_LINES.messagesStandBy.message);
  const disconnect = lifecycle(
    () => undefined,
    () => worker.disconnect(),
  );
  return { gateway: lane, parts: [disconnect, messageWriter({ lane, store, onDone: telemetry.done, onStandBy }), ...indexes] };
}

/** What one command needs to send messages to the writer, and to know how far it came before. */
export async function openMessageIngest({ loaded: { config }, places }: CliSettings, redis: CliRedis): Promise<MessageIngest & AsyncDisposable> {
  if (!config.messages.enabled) throw new WritError('WRONG_STATE', 'messages are off: messages.enabled is false');
  if (config.messages.read_only) throw await readOnlyRefusal(postgresqlOf(config.messages).postgresql);
  const [{ createMessageImporter }, { fieldText, mailDate, readMail }] = await Promise.all([
    import('../messages/import/importer.ts'),
    import('../executors/search/index.ts'),
  ]);
  const lane = await messageLane(config, await redis.connection('producer'));
  await lane.start();
  return {
    gateway: lane,
    imports: createMessageImporter(places.messages, { read: readMail, text: fieldText, date: mailDate }),
    [Symbol.asyncDispose]: () => lane.stop(),
  };
}

/** The way to the writer; a process that only sends has no `more`. */
async function messageLane(config: Config, connection: RedisConnection, more: Partial<MessageLaneOptions> = {}): Promise<MessageLane> {
  const [{ createMessageLane }, { memoryGuard }] = await Promise.all([import('../../queues/message-lane.ts'), import('./redis-target.ts')]);
  const guard = memoryGuard(config, connection);
  return createMessageLane({ pool: config.pool.id, connection, newId: randomHex, now: systemClock.now, guard, ...more });
}
