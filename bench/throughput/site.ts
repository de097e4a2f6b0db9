import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { ConfigSchema } from '../../config/schema.ts';
import { jobOptions, QUEUE_PREFIX } from '../../queues/catalog.ts';
import { connected, createConnection } from '../../queues/connection.ts';
import { bestLibrary, inlineEd25519 } from '../../src/adapters/crypto/inline.ts';
import { createEmbeddedRedis } from '../../src/adapters/redis/embedded.ts';
import type { LeasePayload, TaskJob, TaskManifest } from '../../src/contracts/index.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import { readPrivateKey } from '../../src/data-dir/key-files.ts';
import { type DataDirPaths, dataDirPaths } from '../../src/data-dir/paths.ts';
import { ensureKeys } from '../../src/data-dir/signing-keys.ts';
import { signLease, signLeases } from '../../src/lease/index.ts';

/** One Redis, one set of keys, and signed jobs for both sides. */
export interface Site {
  readonly home: string;
  readonly places: DataDirPaths;
  readonly redis: Redis;
  /** A task with a lease of its own, signed with the kernel's key, good for an hour. */
  sign(manifest: TaskManifest, queue: string): Promise<TaskJob>;
  /** A job of an executor that does nothing, unless another was asked for. */
  job(): Promise<TaskJob>;
  /** Such jobs with leases as the kernel gives them out for a batch: 500 share a signature. */
  bundled(count: number): Promise<readonly TaskJob[]>;
  /** Preloads a queue with new jobs, each with its own lease unless they are to be `bundled`. Returns when all are stored. */
  preload(queue: string, jobs: number, leases?: 'own' | 'bundled'): Promise<void>;
  close(): Promise<void>;
}

const BULK = 500;

/** The capability of an executor that does nothing. */
export const NOOP = 'NOOP';

/** @param capability of its jobs; a door takes those only that some queue serves */
export async function openSite(capability: string = NOOP): Promise<Site> {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-bench-'));
  const places = dataDirPaths(path.join(home, 'data'));
  mkdirSync(places.dataDir, { mode: 0o700 });
  await ensureKeys(places);
  const server = createEmbeddedRedis({ directory: places.redis });
  await server.start();
  const redis = await connected(createConnection(server.target(), 'ledger'));
  const key = await readPrivateKey(places.kernelKey);
  const ed25519 = inlineEd25519(await bestLibrary());
  const issuer = ConfigSchema.parse({}).lease.issuer;
  writeFileSync(path.join(home, 'target.json'), JSON.stringify(server.target()), { mode: 0o600 });

  const payloadOf = (manifest: TaskManifest, queue: string): LeasePayload => {
    const iat = Math.floor(Date.now() / 1000);
    const { task_id, capability_id } = manifest;
    return { v: 1, iss: issuer, aud: queue, jti: task_id, task_id, capability_id, manifest_sha256: manifestSha256(manifest), iat, exp: iat + 3600 };
  };
  const sign = async (manifest: TaskManifest, queue: string): Promise<TaskJob> => ({
    v: 1,
    manifest,
    lease: await signLease(payloadOf(manifest, queue), key, ed25519),
  });
  const manifest = (): TaskManifest => {
    const id = randomUUID();
    const inputs = { source_path: `/srv/inbox/2026/11/${id}.pdf`, destination_path: `/srv/archive/2026/11/${id}.pdf` };
    return { task_id: id, capability_id: capability, inputs, constraints: { sensitivity: 'LOW' } };
  };
  const job = (): Promise<TaskJob> => sign(manifest(), 'file');
  const bundled = async (count: number): Promise<readonly TaskJob[]> => {
    const jobs: TaskJob[] = [];
    while (jobs.length < count) {
      const manifests = Array.from({ length: Math.min(BULK, count - jobs.length) }, manifest);
      const leases = await signLeases(
        manifests.map((one) => payloadOf(one, 'file')),
        key,
        ed25519,
      );
      jobs.push(...manifests.map((one, at): TaskJob => ({ v: 1, manifest: one, lease: leases[at] ?? '' })));
    }
    return jobs;
  };

  return {
    home,
    places,
    redis,
    sign,
    job,
    bundled,
    async preload(name, jobs, leases = 'own') {
      const queue = new Queue(name, { connection: redis, prefix: QUEUE_PREFIX });
      for (let done = 0; done < jobs; done += BULK) {
        const size = Math.min(BULK, jobs - done);
        const part = leases === 'own' ? await Promise.all(Array.from({ length: size }, job)) : await bundled(size);
        await queue.addBulk(part.map((data) => ({ name: NOOP, data, opts: jobOptions(`t_${data.manifest.task_id}`, 1) })));
      }
    },
    async close() {
      redis.disconnect();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
