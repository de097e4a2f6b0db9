import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { QUEUE_PREFIX } from '../../../../queues/catalog.ts';
import type { Installation } from '../installation.ts';
import { withQueue } from '../raw-queue.ts';
import { strangerKernel } from '../stranger-kernel.ts';
import type { Strike } from '../strike.ts';
import type { Traffic } from '../traffic.ts';

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

/** Stops the worker (SIGSTOP) while it has tasks in hand, which are pushed in great number until it has. */
async function stopInTasks({ redis, roles }: Installation, push: () => Promise<void>): Promise<void> {
  for (;;) {
    const pushed = push();
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

/** The files of moves that were begun, as the journal has them: their intents have no end. */
function openMoves({ places, base }: Installation): readonly string[] {
  const journal = new Database(places.journal, { readonly: true });
  try {
    const open = journal.prepare<[], { source_path: string; destination_path: string }>(
      "SELECT source_path, destination_path FROM attempt WHERE state = 'open' AND operation = 'move'",
    );
    return open.all().flatMap(({ source_path, destination_path }) => [path.join(base, source_path), path.join(base, destination_path)]);
  } finally {
    journal.close();
  }
}

/** Kills the worker amid moves, and takes away what they were about before it is back. */
async function killAmidMoves(hurt: Installation, traffic: Traffic): Promise<void> {
  for (;;) {
    await stopInTasks(hurt, () => traffic.moves(300));
    const files = openMoves(hurt);
    if (files.length > 0) {
      await hurt.roles.worker.end('SIGKILL');
      for (const file of files) rmSync(file, { force: true });
      return hurt.roles.worker.start();
    }
    hurt.roles.worker.signal('SIGCONT');
  }
}

/** A job of somebody who has access to Redis. */
async function addRaw(hurt: Installation, data: object, timestamp: number): Promise<void> {
  await withQueue(hurt, (queue) => queue.add('raw', data, { timestamp }));
}

/** Of queues, workers and what they hold. */
export const TASK_STRIKES: readonly Strike[] = [
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
    what: 'the worker is killed in the midst of tasks',
    alerts: ['WritStalled'],
    async strike(hurt, traffic) {
      await stopInTasks(hurt, () => traffic.copies(300));
      await hurt.roles.worker.end('SIGKILL');
      await hurt.roles.worker.start();
      return undefined;
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'the worker stands still for longer than its locks live',
    alerts: ['WritLocksLost'],
    async strike(hurt, traffic) {
      await stopInTasks(hurt, () => traffic.copies(300));
      await delay(5000);
      hurt.roles.worker.signal('SIGCONT');
      return undefined;
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'two orders have one id, under leases of kernels that do not know of each other',
    alerts: ['WritLedgerConflicts'],
    async strike(hurt, traffic) {
      const task_id = traffic.next();
      const sign = await strangerKernel(hurt);
      for (const name of ['source', 'another']) {
        const inputs = { source_path: path.join(hurt.base, name), destination_path: path.join(hurt.base, task_id) };
        const manifest = { task_id, capability_id: 'FILE_COPY' as const, inputs, constraints: {} };
        await addRaw(hurt, { v: 1, manifest, lease: await sign(manifest) }, Date.now());
        await delay(1500);
      }
      return undefined;
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'the published revocation log is overwritten',
    alerts: ['WritRevocationsDamaged'],
    async strike({ redis }, traffic) {
      await redis.set('{wl-00}:revocations', 'nonsense');
      // A worker looks when it has something to run.
      return () => traffic.copies(1);
    },
    mend: ({ redis }) => redis.del('{wl-00}:revocations'),
    endsAtOnce: true,
  },
  {
    what: 'a base directory is exchanged, and its tasks fail for it',
    alerts: ['WritPlaceExchanged', 'WritErrorBudgetBurnFast', 'WritErrorBudgetBurnSlow'],
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
    what: 'the worker is killed amid moves, and their files are taken away before it is back',
    alerts: ['WritRecoveryIncident'],
    async strike(hurt, traffic) {
      await killAmidMoves(hurt, traffic);
      return undefined;
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
];
