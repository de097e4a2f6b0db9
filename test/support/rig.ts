import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Config, ConfigSchema } from '../../config/schema.ts';
import { queueOf } from '../../queues/catalog.ts';
import { createConnection } from '../../queues/connection.ts';
import { createEnqueue } from '../../queues/enqueue.ts';
import { inlineEd25519 } from '../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../src/adapters/crypto/node-crypto.ts';
import { createRedisLedger } from '../../src/adapters/redis/ledger.ts';
import { createRedisRevocations } from '../../src/adapters/redis/revocations.ts';
import { createRedisSignals } from '../../src/adapters/redis/signals.ts';
import type { ClusterTarget, RedisTarget } from '../../src/adapters/redis/target.ts';
import { sharding } from '../../src/bin/producer-side.ts';
import type { Results } from '../../src/bin/results.ts';
import { createWorkerRole, type WorkerRoleOptions } from '../../src/bin/roles/worker.ts';
import { ExecutionResult, type LeasePayload, type TaskManifest } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import type { Lifecycle } from '../../src/core/lifecycle.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import type { Enqueue, Ledger, PushOptions, RevocationFeed } from '../../src/core/ports/index.ts';
import { writeJwks, writePrivateKey } from '../../src/data-dir/key-files.ts';
import { type DataDirPaths, dataDirPaths } from '../../src/data-dir/paths.ts';
import {
  createResultSigner,
  fixedKeyring,
  generateKey,
  publicJwk,
  signingKey,
  signLease,
  signRevocation,
  verifyKey,
  verifyResult,
} from '../../src/lease/index.ts';
import { createLogger, type Logger } from '../../src/observability/logging.ts';
import { lookAgain } from './look-again.ts';
import { PATIENCE_MS, patient } from './patience.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { resultsOf } from './results.ts';

/** Locks short enough for fault tests (design 13). */
export const FAST_LOCKS = {
  lock_ms: upTo(1500, 9000),
  renew_ms: upTo(500, 3000),
  stalled_ms: upTo(500, 3000),
  heartbeat_ms: upTo(300, 3000),
  drain_ms: patient(3000),
};

/** Longer on a slow machine, which could not keep its locks otherwise, but not longer than production has it. */
function upTo(ms: number, most: number): number {
  return Math.min(patient(ms), most);
}

/** A whole installation in temporary directories: Redis, keys, two base directories, and workers on demand. */
export interface Rig extends AsyncDisposable {
  /** A server of the rig's own; a rig on a cluster has none. */
  readonly redis: TestRedis;
  readonly target: RedisTarget;
  readonly keys: RigKeys;
  readonly config: Config;
  readonly places: DataDirPaths;
  /** Base directory on the file system of the temporary directory. */
  readonly base: string;
  /** Base directory on another file system (/dev/shm). */
  readonly otherBase: string;
  readonly ledger: Ledger;
  /** Of the rig's executors. */
  readonly results: Results;
  readonly feed: RevocationFeed;
  readonly enqueue: Enqueue;
  lease(manifest: TaskManifest, changes?: Partial<LeasePayload>): Promise<string>;
  /** Signs and pushes. */
  push(manifest: TaskManifest, options?: PushOptions & { readonly lease?: string }): ReturnType<Enqueue['push']>;
  revoke(jti: string, n: number): Promise<void>;
  /** The outcome as an executor would sign it. */
  sign(manifest: TaskManifest, outcome: Outcome): Promise<string>;
  /** Whether the text is the executor's signed answer to exactly this manifest. */
  verify(manifest: TaskManifest, result: string): Promise<boolean>;
  /** The task's recorded outcome; waits for one that `isIt`. */
  answer(taskId: string, isIt?: (result: ExecutionResult) => boolean, timeoutMs?: number): Promise<ExecutionResult>;
  /** A worker inside this process. */
  startWorker(options?: WorkerRoleOptions): Promise<Lifecycle>;
  stop(): Promise<void>;
}

type RigKey = ReturnType<typeof generateKey>;

export interface RigKeys {
  readonly kernel: RigKey;
  readonly executor: RigKey;
}

export interface RigOptions {
  /** Sections of the configuration that differ. */
  readonly config?: { readonly [section: string]: Record<string, unknown> };
  readonly logLevel?: string;
  /** Of the workers; nothing is logged unless given. */
  readonly log?: Logger;
  /** Base directories beside `main` and `other`, id = path. */
  readonly bases?: Readonly<Record<string, string>>;
  /** Instead of a server of its own. */
  readonly cluster?: ClusterTarget;
  /** Of another rig: several pools under one kernel. */
  readonly keys?: RigKeys;
  /** Whether file names of the base directory may be searched, as scope `base`. */
  readonly searchable?: boolean;
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const home = mkdtempSync(join(tmpdir(), 'writ-rig-'));
  const otherBase = mkdtempSync('/dev/shm/writ-rig-');
  const base = join(home, 'base');
  const places = dataDirPaths(join(home, 'data'));
  for (const directory of [places.dataDir, dirname(places.kernelKey)]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  mkdirSync(base);
  const redis = options.cluster === undefined ? await startTestRedis() : noServer();
  const target: RedisTarget = options.cluster ?? redis.target();
  const url = 'path' in target ? `unix://:${target.password}@localhost${target.path}` : target.url;
  const clustered = target.cluster === undefined ? {} : { cluster: true, cluster_nodes: target.cluster };
  const settings = {
    ...options.config,
    redis: { url, ...clustered, ...options.config?.['redis'] },
    worker: { ...FAST_LOCKS, ...options.config?.['worker'] },
    search: { ...(options.searchable ? { scopes: { base: { kind: 'files', path: base } } } : {}), ...options.config?.['search'] },
    file: { base_directories: { main: base, other: otherBase, ...options.bases }, ...options.config?.['file'] },
  };
  const config = ConfigSchema.parse(settings);
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));

  const ed25519 = inlineEd25519(nodeEd25519());
  const keys = options.keys ?? { kernel: generateKey({ use: 'lease', capabilities: ['*'] }), executor: generateKey({ use: 'result', capabilities: ['*'] }) };
  const { kernel, executor } = keys;
  await Promise.all([
    writePrivateKey(places.kernelKey, kernel),
    writePrivateKey(places.executorKey, executor),
    writeJwks(places.kernelKeyring, [publicJwk(kernel)]),
    writeJwks(places.executorKeyring, [publicJwk(executor)]),
  ]);
  const kernelKey = signingKey(kernel);

  const connections = (['ledger', 'worker', 'subscriber'] as const).map((kind) => createConnection(target, kind));
  const [ledgerConnection, queueConnection, subscriber] = connections;
  if (!ledgerConnection || !queueConnection || !subscriber) throw new Error('three connections were made');
  const ledger = createRedisLedger(ledgerConnection, { retentionMs: config.ledger.retention_s * 1000 });
  const feed = createRedisRevocations(ledgerConnection);
  const signals = createRedisSignals(subscriber);
  const results = resultsOf(places);
  const enqueue = createEnqueue({
    connection: queueConnection,
    ledger,
    results,
    clock: systemClock,
    pool: config.pool.id,
    ...sharding(config, queueConnection),
  });
  const workers: Lifecycle[] = [];

  const rig: Rig = {
    redis,
    target,
    keys,
    config,
    places,
    base,
    otherBase,
    ledger,
    results,
    feed,
    enqueue,
    lease(manifest, changes = {}) {
      const now = Math.floor(Date.now() / 1000);
      const payload: LeasePayload = {
        v: 1,
        iss: config.lease.issuer,
        aud: queueOf(manifest.capability_id, config.pool.id),
        jti: randomUUID(),
        task_id: manifest.task_id,
        capability_id: manifest.capability_id,
        manifest_sha256: manifestSha256(manifest),
        iat: now,
        exp: now + 3600,
        ...changes,
      };
      return signLease(payload, kernelKey, ed25519);
    },
    async push(manifest, { lease, ...pushOptions } = {}) {
      return enqueue.push({ v: 1, manifest, lease: lease ?? (await rig.lease(manifest)) }, pushOptions);
    },
    async revoke(jti, n) {
      const at = Math.floor(Date.now() / 1000);
      await feed.publish([{ n, token: await signRevocation({ v: 1, n, jti, exp: at + 3600, at }, kernelKey, ed25519) }]);
    },
    sign: (manifest, outcome) => createResultSigner(signingKey(executor), ed25519).sign(manifest, manifestSha256(manifest), outcome),
    async verify(manifest, result) {
      const subject = { taskId: manifest.task_id, capabilityId: manifest.capability_id, manifestSha256: manifestSha256(manifest) };
      return (await verifyResult(result, subject, { keyring: fixedKeyring([verifyKey(executor)]), ed25519 })).ok;
    },
    answer: (taskId, isIt = () => true, timeoutMs = PATIENCE_MS) => answerOf(taskId, isIt, timeoutMs, ledger, signals),
    async startWorker(roleOptions = {}) {
      const role = await createWorkerRole({ config, places, log: options.log ?? createLogger(options.logLevel ?? 'silent', 'worker') }, roleOptions);
      workers.push(role);
      await role.start();
      return role;
    },
    async stop() {
      for (const worker of workers) await worker.stop();
      await enqueue.close();
      for (const connection of connections) connection.disconnect();
      if (options.cluster === undefined) await redis.stop();
      for (const directory of [home, otherBase]) rmSync(directory, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => rig.stop(),
  };
  return rig;
}

/** What a rig on a cluster has instead of a server of its own. */
function noServer(): TestRedis {
  const refuse = (): never => {
    throw new Error('this rig runs on a cluster');
  };
  const nothing = {
    target: refuse,
    pid: refuse,
    isRunning: refuse,
    client: refuse,
    kill: refuse,
    restart: refuse,
    flushAll: refuse,
    truncateAof: refuse,
    stop: refuse,
  };
  return { directory: '', ...nothing, [Symbol.asyncDispose]: refuse };
}

type Signals = ReturnType<typeof createRedisSignals>;

async function answerOf(
  taskId: string,
  isIt: (result: ExecutionResult) => boolean,
  timeoutMs: number,
  ledger: Ledger,
  signals: Signals,
): Promise<ExecutionResult> {
  let last = 'nothing recorded';
  return lookAgain({
    async look() {
      const row = await ledger.row(taskId);
      if (row?.result === undefined) return undefined;
      last = row.result;
      const result = ExecutionResult.parse(JSON.parse(row.result));
      return row.state !== 'running' && isIt(result) ? result : undefined;
    },
    listen: (changed) => signals.onRecorded(taskId, changed),
    timeoutMs,
    failure: () => `no such answer of ${taskId} within ${timeoutMs} ms; last: ${last}`,
  });
}

/** A task with a fresh id. */
export function manifestOf(capability: string, source: string, destination?: string, changes: Partial<TaskManifest> = {}): TaskManifest {
  return {
    task_id: `t-${randomUUID()}`,
    capability_id: capability,
    inputs: { source_path: source, ...(destination === undefined ? {} : { destination_path: destination }) },
    constraints: capability === 'FILE_DELETE' ? { reversible: true } : {},
    ...changes,
  };
}
