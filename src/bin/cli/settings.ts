import type { EventEmitter } from 'node:events';
import path from 'node:path';
import { chosenDataDirectory, type LoadedConfig, type LoadOptions, loadConfig } from '../../../config/load.ts';
import type { ConnectionKind } from '../../../queues/connection.ts';
import type { RedisConnection } from '../../adapters/redis/redis-connection.ts';
import type { RedisTarget } from '../../adapters/redis/target.ts';
import { isWritError, WritError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import { assertReadableDataDirectory } from '../../data-dir/data-directory.ts';
import { type DataDirPaths, dataDirPaths } from '../../data-dir/paths.ts';
import type { GlobalOptions } from '../../surfaces/cli/services.ts';

/** The settings of one command line, and where they lie. */
export interface CliSettings {
  readonly loaded: LoadedConfig;
  readonly places: DataDirPaths;
}

/** Environment and working directory of whoever asks; those of this process unless given. */
export type Caller = Pick<LoadOptions, 'env' | 'cwd'>;

/**
 * Defaults < files < environment < `--set`. Throws WritError INVALID_CONFIG; INVALID_ARGUMENT for a password or an empty path among
 * the arguments; STORAGE_UNAVAILABLE for a data directory that this account may not read.
 */
export function readSettings({ dataDir, config, set }: GlobalOptions, caller: Caller = {}): CliSettings {
  refusePassword(set['redis.url'] ?? '');
  refuseEmpty('--data-dir', dataDir);
  refuseEmpty('--config', config);
  const asked = { ...caller, flags: set, ...(dataDir === undefined ? {} : { dataDir }), ...(config === undefined ? {} : { configFile: config }) };
  // Here for every command and role, so that none takes what it may not read for what is not there.
  assertReadableDataDirectory(chosenDataDirectory(asked));
  const loaded = loadConfig(asked);
  return { loaded, places: dataDirPaths(loaded.dataDir) };
}

/** A shell variable that nobody has set would be the working directory. */
function refuseEmpty(field: string, word: string | undefined): void {
  if (word === '') throw new WritError('INVALID_ARGUMENT', 'no path is given', { field });
}

/** Every user of the host can read the arguments of every process. */
function refusePassword(url: string): void {
  if (!URL.canParse(url) || new URL(url).password === '') return;
  throw new WritError('INVALID_ARGUMENT', 'a password does not belong on the command line: put redis.url into writ.toml or into WRIT_REDIS__URL', {
    field: '--set',
  });
}

/** Arguments that make a child process read the same settings. */
export function settingsArgs({ config, set }: GlobalOptions, { loaded }: CliSettings): string[] {
  return [
    '--data-dir',
    loaded.dataDir,
    ...(config === undefined ? [] : ['--config', config]),
    ...Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
  ];
}

/** A command does not wait for Redis to come back. */
const CONNECT_MS = 3_000;

/** The Redis connections of one command; opened when asked for. */
export interface CliRedis extends AsyncDisposable {
  connection(kind: Extract<ConnectionKind, 'producer' | 'subscriber'>): Promise<RedisConnection>;
}

export function createCliRedis(settings: CliSettings): CliRedis {
  const open = new Map<string, Promise<RedisConnection>>();
  const all: RedisConnection[] = [];
  let closed = false;
  const connect = async (kind: 'producer' | 'subscriber'): Promise<RedisConnection> => {
    const redis = await connecting(kind, settings);
    all.push(redis.connection);
    if (closed) redis.connection.disconnect();
    await redis.ready;
    return redis.connection;
  };
  return {
    connection(kind) {
      const known = open.get(kind) ?? connect(kind);
      open.set(kind, known);
      return known;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      for (const connection of all) connection.disconnect();
    },
  };
}

/** The client of Redis is loaded here: most commands that read settings never connect. */
async function connecting(kind: 'producer' | 'subscriber', settings: CliSettings): Promise<{ connection: RedisConnection; ready: Promise<void> }> {
  const [{ createConnection }, found] = await Promise.all([import('../../../queues/connection.ts'), target(settings)]);
  let refuse: (error: unknown) => void = () => undefined;
  const connection = createConnection(found, kind, (error) => refuse(error));
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => refuse(new Error(`no answer within ${CONNECT_MS} ms`)), CONNECT_MS);
    refuse = (error) => {
      clearTimeout(timer);
      connection.disconnect();
      void silent(settings, error).then(reject);
    };
    const events: EventEmitter = connection;
    events.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return { connection, ready };
}

async function target(settings: CliSettings): Promise<RedisTarget> {
  const { redisTarget } = await import('../redis-target.ts');
  try {
    return redisTarget(settings.loaded.config, settings.places);
  } catch (error) {
    throw isWritError(error) && error.code === 'REDIS_UNAVAILABLE' ? await silent(settings, error) : error;
  }
}

/** The likeliest mistake of all gets the sentence that ends it. */
async function silent({ loaded, places }: CliSettings, cause: unknown): Promise<WritError> {
  const { url, cluster } = loaded.config.redis;
  if (url !== '') return (await import('../../adapters/redis/unreachable.ts')).unreachable(url, cause, cluster);
  return new WritError('REDIS_UNAVAILABLE', `Redis of the data directory ${places.dataDir} does not answer: start it with \`writ up\``, { cause });
}

/** How a person calls the program so that it reads the same settings, in whatever terminal: `writ --data-dir /srv/writ`. */
export function programWords(options: GlobalOptions, { loaded }: CliSettings): string {
  const place = loaded.isUsualPlace ? [] : ['--data-dir', loaded.dataDir];
  const file = options.config === undefined ? [] : ['--config', path.resolve(options.config)];
  const sets = Object.entries(options.set).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  return ['writ', ...place, ...file, ...sets].map(shellWord).join(' ');
}
