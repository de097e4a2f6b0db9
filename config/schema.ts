import path from 'node:path';
import { z } from 'zod';
import { baseDirectoryFaults } from './base-directories.ts';
import { CLUSTER, clusterFaults, QueueSettings } from './cluster.ts';
import { ToolSettings } from './content-search.ts';
import { MessageSettings, messageFaults } from './messages.ts';
import { SearchScopes } from './search-scopes.ts';
import { HttpTls, RedisTls, tlsFaults } from './tls.ts';
import { Tracing } from './tracing.ts';
import { WebhookSettings } from './webhooks.ts';

/**
 * Every setting of Writ with its type, range, default and one sentence.
 * `config/writ.toml` and `docs/generated/configuration.md` are written from this file (`npm run config:write`).
 * Units are part of a name: `_ms`, `_s`, `_mb`, `_bytes`.
 */

const DAY_S = 86_400;

const pool = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z 0-9 - and start with a letter or digit')
    .default('default')
    .describe('Name of this host and data directory; the queues of the pool "default" have bare names, others end in "@<id>".'),
});

const redis = z.strictObject({
  url: z
    .string()
    .regex(/^$|^(rediss?|unix):\/\/\S+$/, 'must be empty or a redis://, rediss:// or unix:// address')
    .default('')
    .describe('Address of a Redis server of yours; empty starts a private one inside the data directory.'),
  port: z.int().min(0).max(65_535).default(0).describe('Loopback port that the private Redis server opens for raw producers; 0 keeps it on its unix socket.'),
  max_memory_mb: z.int().min(16).max(1_048_576).default(512).describe('Memory limit of the private Redis server; it never evicts.'),
  high_water: z
    .number()
    .min(0.1)
    .max(0.99)
    .default(0.9)
    .describe('Share of the memory limit above which new work is refused; ends of waiting jobs count as used.'),
  ...CLUSTER,
  append_only: z.boolean().default(true).describe('Whether the private Redis server writes an append-only file, so that queued jobs survive a restart.'),
  tls: RedisTls.prefault({}).describe('TLS towards Redis, when redis.url begins with rediss://.'),
});

const worker = z.strictObject({
  file_concurrency: z.int().min(1).max(1024).default(64).describe('File tasks that one worker handles at the same time.'),
  search_concurrency: z.int().min(1).max(64).default(2).describe('Searches that one worker runs at the same time, a process each.'),
  plan_concurrency: z
    .int()
    .min(1)
    .max(1024)
    .default(32)
    .describe('Plans that one worker walks at the same time; a plan that waits for a step is not one of them.'),
  lock_ms: z.int().min(500).max(600_000).default(9000).describe("Life of a worker's lock on a job; a dead worker's job waits for it to end."),
  renew_ms: z.int().min(50).max(300_000).default(3000).describe('Interval at which a living worker renews its locks; at most half of lock_ms.'),
  stalled_ms: z.int().min(50).max(600_000).default(3000).describe('Interval at which workers look for jobs of dead workers.'),
  heartbeat_ms: z.int().min(50).max(600_000).default(3000).describe('Interval at which a worker says that it lives; the word counts for three lock lives.'),
  deaf_ms: z
    .int()
    .min(1000)
    .max(3_600_000)
    .default(60_000)
    .describe('A worker that begins and ends nothing for so long, although jobs wait, the queue is not paused and slots are free, calls itself unhealthy.'),
  drain_ms: z.int().min(0).max(600_000).default(30_000).describe('Time that running tasks get to end when a worker is asked to stop.'),
});

const lease = z.strictObject({
  issuer: z.string().min(1).max(128).default('writ-kernel').describe('Name of the kernel that signs leases; workers accept no other.'),
  max_ttl_s: z
    .int()
    .min(1)
    .max(3650 * DAY_S)
    .default(30 * DAY_S)
    .describe('Longest life of a lease; a worker refuses longer ones.'),
  default_ttl_s: z
    .int()
    .min(1)
    .max(3650 * DAY_S)
    .default(DAY_S)
    .describe('Life of a lease that was asked for without one.'),
  clock_skew_s: z.int().min(0).max(3600).default(60).describe('How far in the future a lease may have been issued, for clocks that differ.'),
  bundles: z
    .boolean()
    .default(true)
    .describe('Whether the kernel signs the leases of one request together; workers from before this setting accept none of those.'),
});

const ledger = z.strictObject({
  retention_s: z
    .int()
    .min(1)
    .max(7300 * DAY_S)
    .default(31 * DAY_S)
    .describe('How long Redis remembers a task after its lease expired; at least lease.max_ttl_s.'),
  refused_ttl_s: z
    .int()
    .min(60)
    .max(3650 * DAY_S)
    .default(7 * DAY_S)
    .describe('How long the signed refusal of a job stays readable that never reached a task.'),
});

const journal = z.strictObject({
  retention_s: z
    .int()
    .min(DAY_S)
    .max(7300 * DAY_S)
    .default(365 * DAY_S)
    .describe(
      'How long the journals keep the answer of a task after its end and its lease, and an undo is possible, and the end and the answers of a plan after its last change; at least ledger.retention_s. That it was done, and must not be done again, they keep for ever.',
    ),
});

const board = z.strictObject({
  regrant: z.boolean().default(true).describe('Whether a retry by an operator may renew the lease of a failed task or plan.'),
});

const file = z.strictObject({
  base_directories: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'an id must be 1 to 32 of a-z 0-9 _ - and start with a letter'), z.string())
    .superRefine((bases, context) => {
      for (const { id, message } of baseDirectoryFaults(bases)) context.addIssue({ code: 'custom', path: [id], message });
    })
    .default({})
    .meta({
      description: 'The directories that file tasks may work in, id = absolute path; none means that every file task is refused.',
      examples: ['inbox = "/srv/inbox"'],
    }),
  filesystems: z
    .array(z.string().regex(/^[a-z0-9_]+$/))
    .min(1)
    .default(['ext4', 'xfs', 'btrfs', 'tmpfs', 'overlay', 'zfs', 'f2fs'])
    .describe('Types of file system that a base directory may lie on; remote ones do not belong here.'),
  confinement: z
    .enum(['auto', 'openat2', 'walk'])
    .default('auto')
    .describe('How paths are kept inside their base: by the kernel (openat2), or component by component (walk).'),
  settle_s: z
    .int()
    .min(1)
    .max(86_400)
    .default(10)
    .describe('How long the same must stand at the path of a base directory that was exchanged (mounted over, renamed away) before workers take it up.'),
  max_run_s: z.int().min(1).max(86_400).default(300).describe('Wall-clock limit of one file task.'),
  max_bytes: z.int().min(1).max(Number.MAX_SAFE_INTEGER).default(68_719_476_736).describe('Largest file that is copied, also by a move across file systems.'),
  vault_quota_bytes: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(10_737_418_240)
    .describe('Room for deleted files in the vault of each base directory; a full vault refuses further deletes.'),
  hash_max_bytes: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(67_108_864)
    .describe('Copies up to this size are hashed on the way and carry their SHA-256; larger ones would only run at the speed of the hash.'),
});

const search = z.strictObject({
  max_run_s: z.int().min(1).max(3600).default(600).describe('Wall-clock limit of one search.'),
  max_memory_mb: z
    .int()
    .min(64)
    .max(65_536)
    .default(256)
    .describe('Memory that one search may take beyond what its idle process holds; over it the process is killed and replaced.'),
  scopes: SearchScopes.default({}).meta({
    description: 'What may be searched, a table for each scope (docs/search-executor.md); none means that every search is refused.',
    examples: ['[search.scopes.contracts]\nkind = "files"\npath = "/srv/contracts"'],
  }),
});

const plan = z.strictObject({
  sweep_ms: z
    .int()
    .min(200)
    .max(3_600_000)
    .default(5000)
    .describe('Interval at which a worker looks for running plans whose jobs Redis has lost, and puts them back.'),
  registry_dir: z
    .string()
    .refine((text) => text === '' || (path.posix.isAbsolute(text) && !text.includes('\0')), 'must be empty or an absolute path')
    .default('')
    .describe(
      'Directory with definitions and tool bindings of yours, laid out like the shipped ones (docs/plans.md); they replace shipped ones of the same id. Empty: none.',
    ),
});

const http = z.strictObject({
  host: z.string().min(1).max(253).default('127.0.0.1').describe('Address that the API listens on; anything but loopback opens it to the network.'),
  port: z.int().min(0).max(65_535).default(8377).describe('Port of the API; 0 takes a free one.'),
  allowed_hosts: z
    .array(z.string().min(1).max(253))
    .default([])
    .describe('Names beside localhost and the address itself under which browsers and clients may call the API (Host header, without port).'),
  max_body_bytes: z.int().min(1024).max(67_108_864).default(1_048_576).describe('Largest JSON body of one request; a line of a bulk push has its own limit.'),
  request_timeout_s: z.int().min(1).max(3600).default(30).describe('Time in which a request must have arrived whole; bulk pushes only need to go on.'),
  max_connections: z.int().min(16).max(1_000_000).default(20_000).describe('Connections that are open at the same time.'),
  max_wait_s: z.int().min(0).max(600).default(60).describe('Longest time that "Prefer: wait" keeps a request open.'),
  rate_limit: z.int().min(1).max(10_000_000).default(60_000).describe('Requests that one key, or one address without a key, may make in a minute.'),
  login_limit: z.int().min(1).max(10_000).default(10).describe('Tries to log in that one address may make in a minute.'),
  session_s: z.int().min(60).max(604_800).default(28_800).describe('Life of a browser session.'),
  allow_plain: z
    .boolean()
    .default(false)
    .describe('Whether http.host may be more than loopback without TLS; whoever sees the packets then reads keys and paths (behind a proxy: nobody but it).'),
  tls: HttpTls.prefault({}).describe('TLS of the API (docs/security.md).'),
});

const metrics = z.strictObject({
  worker_port: z
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('Loopback port on which a worker shows its own metrics; 0 leaves them to the API, which asks every worker of its data directory.'),
});

const taskIndex = z.strictObject({
  max_tasks: z
    .int()
    .min(1000)
    .max(100_000_000)
    .default(2_000_000)
    .describe('Tasks that the index of the API remembers for searching, about 450 bytes each; the ones that changed longest ago go first.'),
});

const crypto = z.strictObject({
  threads: z.int().min(1).max(16).default(1).describe('Threads that sign and verify beside the event loop.'),
  implementation: z.enum(['auto', 'sodium', 'node']).default('auto').describe('Library for Ed25519; auto takes sodium where it is installed.'),
});

const rotateS = z
  .int()
  .min(0)
  .max(3650 * DAY_S);
const rotateMb = z.int().min(0).max(1_048_576);

const audit = z.strictObject({
  rotate_mb: rotateMb.default(64).describe('Size at which a file of the audit log is closed and a new one goes on with the chain; 0: never for its size.'),
  rotate_s: rotateS.default(30 * DAY_S).describe('Age of its first record at which a file of the audit log is closed; 0: never for its age.'),
});

const log = z.strictObject({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info').describe('Least important kind of line that is logged.'),
  rotate_mb: rotateMb.default(64).describe('Size at which the log of a role of `writ up` is put aside; 0: never for its size.'),
  rotate_s: rotateS.default(7 * DAY_S).describe('Age at which the log of a role of `writ up` is put aside; 0: never for its age.'),
  keep: z.int().min(1).max(1000).default(5).describe('Logs of each role that are kept beside the one that is written.'),
});

const reload = z.strictObject({
  watch: z
    .boolean()
    .default(false)
    .describe('Whether each role follows the file of its settings and the files of plan.registry_dir by itself; otherwise `writ reload` tells it.'),
  settle_ms: z.int().min(50).max(60_000).default(1000).describe('Time without a further change after which files that were changed are read.'),
});

/** All sections; an absent section is an empty one. */
export const ConfigSchema = z
  .strictObject({
    pool: pool.prefault({}).describe('The pool: one host and one data directory.'),
    redis: redis.prefault({}).describe('Redis holds the queues and the ledger.'),
    queue: QueueSettings.prefault({}).describe('Queues, and the shards that they are kept in.'),
    worker: worker.prefault({}).describe('Workers take jobs from the queues.'),
    lease: lease.prefault({}).describe('Leases say who may run what, and until when.'),
    ledger: ledger.prefault({}).describe('The ledger remembers in Redis what was done.'),
    journal: journal.prefault({}).describe('The journals remember on this host what was done.'),
    board: board.prefault({}).describe('What operators may do.'),
    file: file.prefault({}).describe('The file executor.'),
    search: search.prefault({}).describe('The search executor.'),
    tools: ToolSettings.prefault({}).describe('Tools of agents.'),
    messages: MessageSettings.prefault({}).describe('Messages of agents, and the search in them.'),
    plan: plan.prefault({}).describe('Plans, and what they are made of.'),
    http: http.prefault({}).describe('The HTTP API, the board and the pages around them.'),
    metrics: metrics.prefault({}).describe('Figures for Prometheus.'),
    tracing: Tracing.prefault({}).describe('Traces for OpenTelemetry.'),
    task_index: taskIndex.prefault({}).describe('The task index finds tasks by what they are and how they ended; it is a copy.'),
    webhooks: WebhookSettings.prefault({}).describe('Who is told of the ends of tasks.'),
    crypto: crypto.prefault({}).describe('Signatures.'),
    audit: audit.prefault({}).describe('The audit log holds what operators did.'),
    reload: reload.prefault({}).describe('Settings that are read again while the roles run (docs/operations.md).'),
    log: log.prefault({}).describe('The log goes to standard error; `writ up` leads that of its roles into files.'),
  })
  .superRefine((config, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (config.lease.default_ttl_s > config.lease.max_ttl_s) refuse(['lease', 'default_ttl_s'], `must be at most lease.max_ttl_s (${config.lease.max_ttl_s})`);
    if (config.journal.retention_s < config.ledger.retention_s)
      refuse(['journal', 'retention_s'], `must be at least ledger.retention_s (${config.ledger.retention_s})`);
    if (config.ledger.retention_s < config.lease.max_ttl_s) refuse(['ledger', 'retention_s'], `must be at least lease.max_ttl_s (${config.lease.max_ttl_s})`);
    if (config.worker.renew_ms * 2 > config.worker.lock_ms) refuse(['worker', 'renew_ms'], `must be at most half of worker.lock_ms (${config.worker.lock_ms})`);
    for (const { path: at, message } of [...tlsFaults(config), ...clusterFaults(config), ...messageFaults(config)]) refuse(at, message);
  });

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** The settings, complete, checked and frozen. */
export type Config = Frozen<z.output<typeof ConfigSchema>>;
