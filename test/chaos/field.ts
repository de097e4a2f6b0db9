import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inlineEd25519 } from '../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../src/adapters/crypto/node-crypto.ts';
import { systemClock } from '../../src/core/clock.ts';
import { jwksFile } from '../../src/data-dir/key-files.ts';
import { createKeyring } from '../../src/lease/index.ts';
import { createRandom, type Random } from '../support/random.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { type Bundle, sharedBundle } from './bundle.ts';
import { type Counts, createCounts } from './counts.ts';
import { createExpectations, type Expectations } from './expectations.ts';
import { createKernelLog, type KernelLog } from './kernel-log.ts';
import { createPlans, type Plans } from './plans.ts';
import { createPool, type Pool } from './pool.ts';
import { createRedisFaults, type RedisFaults } from './redis-faults.ts';
import type { WorkerSetup } from './setup.ts';
import { createTickets, type Tickets } from './tickets.ts';

/** Room of the small file system. */
const TINY_BYTES = 1024 * 1024;

export interface FieldOptions {
  readonly seed: number;
  readonly workers: number;
  /** Shared by the fields of one run, so that all of them run the same code; the field's own otherwise. */
  readonly bundle?: Bundle;
  /** The kernel refuses `renameat2` to the workers, so that they link and unlink. */
  readonly withoutRenameat2?: boolean;
  /** With a base directory on a file system of 1 MiB. */
  readonly tiny?: boolean;
  /** Hears of every violation as it is found. */
  readonly tell?: (note: string) => void;
  /** Sections of the configuration that differ. */
  readonly config?: { readonly [section: string]: Record<string, unknown> };
}

/** A whole installation with real worker processes, and everything that a case needs to hurt it and to judge it. */
export interface Field {
  readonly rig: Rig;
  readonly random: Random;
  readonly counts: Counts;
  readonly plans: Plans;
  readonly pool: Pool;
  readonly tickets: Tickets;
  readonly kernelLog: KernelLog;
  readonly redisFaults: RedisFaults;
  readonly expectations: Expectations;
  readonly tiny: SmallDisk | undefined;
  /** Where cases have moved destination directories to, away from the names that tasks know. */
  readonly movedDirectories: Set<string>;
  /** Lines of the workers at level `error` or above. */
  readonly workerLog: string;
  stop(): Promise<void>;
}

export async function startField(options: FieldOptions): Promise<Field> {
  const counts = createCounts(options.tell);
  const random = createRandom(options.seed);
  const home = mkdtempSync(path.join(tmpdir(), 'writ-chaos-'));
  const tiny = options.tiny === true ? mountSmallDisk(path.join(home, 'tiny'), { bytes: TINY_BYTES, command: 'npm test' }) : undefined;
  const rig = await startRig({
    // Few tasks per worker: a kill is to hit the task that it is meant for, not all others as well.
    config: { crypto: { implementation: 'node' }, log: { level: 'error' }, worker: { file_concurrency: 4 }, ...options.config },
    ...(tiny ? { bases: { tiny: tiny.directory } } : {}),
  });
  const plans = createPlans(path.join(home, 'plans'));
  const bundle = options.bundle ?? (await sharedBundle());
  const setup: WorkerSetup = {
    config: rig.config,
    dataDir: rig.places.dataDir,
    armed: plans.armed,
    fired: plans.fired,
    withoutRenameat2: options.withoutRenameat2 === true,
  };
  const setupFile = path.join(home, 'setup.json');
  writeFileSync(setupFile, JSON.stringify(setup));
  const workerLog = path.join(home, 'workers.log');
  const pool = createPool({ worker: bundle.worker, setupFile, logFile: workerLog, size: options.workers, counts, random });
  await pool.start();

  const verifier = {
    keyring: createKeyring({ source: jwksFile(rig.places.executorKeyring), use: 'result', clock: systemClock }),
    ed25519: inlineEd25519(nodeEd25519()),
  };
  const tickets = createTickets(rig, verifier, counts);
  const kernelLog = await createKernelLog(rig.feed, rig.places.kernelKey);
  const snapshots = path.join(home, 'snapshots');
  mkdirSync(snapshots);
  const redisFaults = createRedisFaults({ redis: rig.redis, tickets, kernelLog, snapshots, probe: await rig.redis.client() });
  return {
    rig,
    random,
    counts,
    plans,
    pool,
    tickets,
    kernelLog,
    redisFaults,
    expectations: createExpectations(counts),
    tiny,
    movedDirectories: new Set(),
    workerLog,
    async stop() {
      await pool.stop();
      plans.close();
      redisFaults.close();
      await rig.stop();
      if (options.bundle === undefined) bundle.remove();
      tiny?.unmount();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
