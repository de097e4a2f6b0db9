import { mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Queue } from 'bullmq';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createTestCa } from '../../support/certificates.ts';
import { fillDisk } from '../../support/fill-disk.ts';
import { createOtherClock } from '../../support/other-clock.ts';
import { signal } from '../processes.ts';
import type { Installation } from './installation.ts';
import type { Traffic } from './traffic.ts';

/** A real trouble, and the alerts that must stand while it lasts. */
export interface Strike {
  readonly what: string;
  readonly alerts: readonly string[];
  /** Hurts it; resolves at once. What is given back is done again and again until the alerts stand. */
  strike(hurt: Installation, traffic: Traffic): Promise<undefined | (() => Promise<unknown>)>;
  /** Takes the trouble away. */
  mend(hurt: Installation): Promise<unknown>;
  /** Whether the alert ends with its trouble; else with the window of its condition, which nobody waits for here. */
  readonly endsAtOnce: boolean;
}

const fileQueue = `${QUEUE_PREFIX}:file`;
const away = (directory: string): string => `${directory}-away`;
const exchange = (directory: string): void => {
  renameSync(directory, away(directory));
  mkdirSync(directory);
};
const putBack = (directory: string): void => {
  rmSync(directory, { recursive: true });
  renameSync(away(directory), directory);
};

/** Stops the worker (SIGSTOP) while it has tasks in hand. */
async function stopInTasks({ redis, roles }: Installation, traffic: Traffic): Promise<void> {
  for (;;) {
    const pushed = traffic.copies(300);
    const active = async (): Promise<number> => redis.llen(`${fileQueue}:active`);
    while ((await active()) === 0) await delay(1);
    roles.worker.signal('SIGSTOP');
    // What was under way at that moment has reached Redis by then.
    await delay(100);
    const isCaught = (await active()) > 0;
    if (!isCaught) roles.worker.signal('SIGCONT');
    await pushed;
    if (isCaught) return;
  }
}

/** A job of somebody who has access to Redis. */
async function addRaw({ redis }: Installation, data: object, timestamp: number): Promise<void> {
  const queue = new Queue('file', { connection: redis.duplicate({ maxRetriesPerRequest: null }), prefix: QUEUE_PREFIX });
  await queue.add('raw', data, { timestamp });
  await queue.close();
}

async function restart({ roles }: Installation, name: keyof Installation['roles'], terms: Parameters<Installation['roles']['api']['start']>[0] = {}): Promise<void> {
  await roles[name].end();
  await roles[name].start(terms);
}

/** Cuts every file of the index to its half. */
function damageIndex({ cache }: Installation): void {
  for (const entry of readdirSync(cache, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && /segment|\.seg/.test(entry.name)) truncateSync(file, 100);
  }
}

const fillers = (directory: string): string => path.join(directory, 'filler');

/** In this order: what hurts the most comes last. */
export const STRIKES: readonly Strike[] = [
  {
    what: 'a queue is paused, and jobs wait',
    alerts: ['WritQueuePaused'],
    async strike({ cli }, traffic) {
      await cli(['queue', 'pause', 'file']);
      await traffic.copies(3);
      return undefined;
    },
    mend: ({ cli }) => cli(['queue', 'resume', 'file']),
    endsAtOnce: true,
  },
  {
    what: 'the worker is killed; among what waits is a job of ten minutes ago',
    alerts: ['WritNoWorker', 'WritOldestWaiting'],
    async strike(hurt, traffic) {
      await hurt.roles.worker.end('SIGKILL');
      await addRaw(hurt, {}, Date.now() - 600_000);
      await traffic.copies(3);
      return undefined;
    },
    mend: ({ roles }) => roles.worker.start(),
    endsAtOnce: true,
  },
  {
    what: 'somebody with access to Redis lets a queue have no job at a time',
    alerts: ['WritWorkerDeaf'],
    async strike({ redis }, traffic) {
      await redis.hset(`${fileQueue}:meta`, 'concurrency', 0);
      await traffic.copies(3);
      return undefined;
    },
    mend: ({ redis }) => redis.hdel(`${fileQueue}:meta`, 'concurrency'),
    endsAtOnce: true,
  },
  {
    what: 'the worker stands still for longer than its locks live',
    alerts: ['WritLocksLost'],
    async strike(hurt, traffic) {
      await stopInTasks(hurt, traffic);
      await delay(5000);
      hurt.roles.worker.signal('SIGCONT');
      return undefined;
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'the worker is killed in the midst of tasks',
    alerts: ['WritStalled'],
    async strike(hurt, traffic) {
      await stopInTasks(hurt, traffic);
      await hurt.roles.worker.end('SIGKILL');
      await hurt.roles.worker.start();
      return undefined;
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'two orders have one id, and one was put onto the queue by hand',
    alerts: ['WritLedgerConflicts'],
    async strike(hurt, traffic) {
      const task_id = traffic.next();
      for (const name of ['source', 'another']) {
        const inputs = { source_path: path.join(hurt.base, name), destination_path: path.join(hurt.base, task_id) };
        const manifest = { task_id, capability_id: 'FILE_COPY', inputs, constraints: {} };
        const { out } = await hurt.cli(['lease', 'issue', '-', '--json'], JSON.stringify(manifest));
        await addRaw(hurt, { v: 1, manifest, lease: (JSON.parse(out) as { lease: string }).lease }, Date.now());
        await delay(1000);
      }
      return undefined;
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'the published revocation log is overwritten',
    alerts: ['WritRevocationsDamaged'],
    async strike({ redis }) {
      await redis.set('{wl-00}:revocations', 'nonsense');
      return undefined;
    },
    mend: ({ redis }) => redis.del('{wl-00}:revocations'),
    endsAtOnce: true,
  },
  {
    what: 'a base directory is exchanged, and its tasks fail for it',
    alerts: ['WritPlaceExchanged', 'WritErrorBudgetBurnFast', 'WritErrorBudgetBurnSlow', 'WritIndexUncertain'],
    async strike({ base }, traffic) {
      exchange(base);
      await traffic.copies(300);
      return undefined;
    },
    async mend({ base }) {
      putBack(base);
    },
    endsAtOnce: false,
  },
  {
    what: 'a receiver of webhooks wants no notices any more',
    alerts: ['WritWebhooksNotDelivered'],
    async strike({ receiver }, traffic) {
      receiver.status = 410;
      await traffic.copies(2);
      return undefined;
    },
    async mend({ receiver }) {
      receiver.status = 204;
    },
    endsAtOnce: false,
  },
  {
    what: 'the event loop of the API is held up again and again',
    alerts: ['WritEventLoopBlocked'],
    async strike({ roles }) {
      return async () => {
        roles.api.signal('SIGSTOP');
        await delay(1200);
        roles.api.signal('SIGCONT');
        await delay(200);
      };
    },
    mend: async () => undefined,
    endsAtOnce: true,
  },
  {
    what: 'somebody holds the journal for seconds at a time',
    alerts: ['WritJournalSlow'],
    async strike({ places }, traffic) {
      return async () => {
        const journal = new Database(places.journal);
        journal.exec('BEGIN IMMEDIATE');
        await traffic.copies(20);
        await delay(1500);
        journal.exec('COMMIT');
        journal.close();
        await delay(300);
      };
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'Redis is allowed to evict',
    alerts: ['WritRedisPolicy'],
    strike: async ({ redis }) => void (await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')),
    mend: ({ redis }) => redis.config('SET', 'maxmemory-policy', 'noeviction'),
    endsAtOnce: true,
  },
  {
    what: 'Redis has little memory left',
    alerts: ['WritRedisMemory'],
    async strike({ redis }) {
      const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
      await redis.config('SET', 'maxmemory', Math.round(used * 1.15));
      return undefined;
    },
    mend: ({ redis }) => redis.config('SET', 'maxmemory', '1gb'),
    endsAtOnce: true,
  },
  {
    what: 'Redis writes no append-only file any more',
    alerts: ['WritRedisPersistence'],
    strike: async ({ redis }) => void (await redis.config('SET', 'appendonly', 'no')),
    mend: ({ redis }) => redis.config('SET', 'appendonly', 'yes'),
    endsAtOnce: true,
  },
  {
    what: 'Redis stands still',
    alerts: ['WritRedisUnreadable'],
    async strike({ redisPid }) {
      signal(redisPid, 'SIGSTOP');
      return undefined;
    },
    mend: async ({ redisPid }) => signal(redisPid, 'SIGCONT'),
    endsAtOnce: true,
  },
  {
    what: 'Redis loses everything',
    alerts: ['WritLedgerLost'],
    strike: async ({ redis }) => void (await redis.flushall()),
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'the index host is killed',
    alerts: ['WritIndexHostDown'],
    strike: async ({ roles }) => void (await roles['index-host'].end('SIGKILL')),
    mend: ({ roles }) => roles['index-host'].start(),
    endsAtOnce: true,
  },
  {
    what: 'thousands of files appear while no index host takes its queue',
    alerts: ['WritIndexNotKeepingUp'],
    async strike({ base, cli }) {
      await cli(['queue', 'pause', 'index-maintenance']);
      mkdirSync(path.join(base, 'many'));
      for (let n = 0; n < 7000; n += 1) writeFileSync(path.join(base, 'many', `${n}`), 'x');
      return undefined;
    },
    async mend({ base, cli }) {
      rmSync(path.join(base, 'many'), { recursive: true });
      await cli(['queue', 'resume', 'index-maintenance']);
    },
    endsAtOnce: true,
  },
  {
    what: 'the files of the index are cut short, and again when it was built anew',
    alerts: ['WritIndexCorrupt'],
    async strike(hurt) {
      return async () => {
        damageIndex(hurt);
        await restart(hurt, 'index-host');
        await hurt.client.contentSearch({ pattern: 'needle' });
        await delay(3000);
      };
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'the tree has more files than its index may have, and its clock runs on for an hour',
    alerts: ['WritIndexBuildFailing', 'WritIndexNotComplete'],
    async strike(hurt) {
      const clock = createOtherClock(hurt.home);
      rmSync(hurt.cache, { recursive: true, force: true });
      await restart(hurt, 'index-host', { env: { WRIT_TOOLS__SEARCH__INDEX_BUILD_MAX_FILES: '1' }, launcher: clock.launcher });
      await hurt.cli(['index', 'build']);
      await delay(3000);
      clock.move(3600);
      return undefined;
    },
    mend: (hurt) => restart(hurt, 'index-host'),
    endsAtOnce: false,
  },
  {
    what: 'the API is killed',
    alerts: ['WritDown'],
    strike: async ({ roles }) => void (await roles.api.end('SIGKILL')),
    mend: ({ roles }) => roles.api.start(),
    endsAtOnce: true,
  },
  {
    what: 'the data directory has no room for another name, and the audit log is due',
    alerts: ['WritLogGrows'],
    async strike(hurt) {
      await restart(hurt, 'api', { env: { WRIT_AUDIT__ROTATE_S: '1' } });
      mkdirSync(fillers(hurt.places.dataDir));
      try {
        for (let n = 0; ; n += 1) writeFileSync(path.join(fillers(hurt.places.dataDir), `${n}`), '');
      } catch {
        // There is no room for another one.
      }
      return () => hurt.client.queues.pause('search').catch(() => undefined);
    },
    async mend(hurt) {
      rmSync(fillers(hurt.places.dataDir), { recursive: true });
      await hurt.client.queues.resume('search');
      await restart(hurt, 'api');
    },
    endsAtOnce: true,
  },
  {
    what: 'the disk of the data directory is full',
    alerts: ['WritDeliveriesCrash', 'WritMessagesNotTakenIn'],
    async strike({ places, client }, traffic) {
      fillDisk(fillers(places.dataDir));
      await traffic.copies(20).catch(() => undefined);
      const large = { key: traffic.next(), body_md: 'x'.repeat(100_000) };
      return () => client.messages.ingest([{ op: 'message', project: 'full', subject: 'no room', ...large }]).catch(() => undefined);
    },
    mend: async ({ places }) => rmSync(fillers(places.dataDir)),
    endsAtOnce: false,
  },
  {
    what: 'the API gets a certificate that ends in five days',
    alerts: ['WritCertificateEnds'],
    async strike(hurt) {
      const { cert, key } = createTestCa().issue('api', 'DNS:localhost,IP:127.0.0.1', 5);
      await restart(hurt, 'api', { env: { WRIT_HTTP__TLS__CERT_FILE: cert, WRIT_HTTP__TLS__KEY_FILE: key } });
      return undefined;
    },
    mend: (hurt) => restart(hurt, 'api'),
    endsAtOnce: true,
  },
  {
    what: 'the database of messages is damaged',
    alerts: ['WritMessageSearchFailing'],
    async strike({ places, client }) {
      writeFileSync(places.messages, Buffer.alloc(200_000, 'no database'));
      return () => client.messages.search({ text: 'needle' }).catch(() => undefined);
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
];

