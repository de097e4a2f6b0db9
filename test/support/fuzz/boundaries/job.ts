import path from 'node:path';
import type { PipelineDeps } from '../../../../processors/context.ts';
import { createInFlight } from '../../../../processors/in-flight.ts';
import { runDelivery } from '../../../../processors/pipeline.ts';
import { createRepeatedFaults } from '../../../../processors/repeated-faults.ts';
import { openTokenFile } from '../../../../src/adapters/files/token-file.ts';
import { createMemoryLedger } from '../../../../src/adapters/memory/ledger.ts';
import { createMemoryPresence } from '../../../../src/adapters/memory/presence.ts';
import { createMemoryRevocations } from '../../../../src/adapters/memory/revocations.ts';
import { createMemoryChannels } from '../../../../src/adapters/memory/signals.ts';
import type { LeasePayload, TaskManifest } from '../../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../../src/core/hash.ts';
import { success } from '../../../../src/core/outcome.ts';
import type { TaskExecutor } from '../../../../src/core/ports/index.ts';
import { createAuthorities, createResultReader, createResultSigner, createRevocationMirror, fixedKeyring, signLease } from '../../../../src/lease/index.ts';
import { ed25519, LEASE, MANIFEST, testClock, vectorKey } from '../../../fixtures/authority/world.ts';
import { type Boundary, FuzzFault, parsed, shown } from '../boundary.ts';
import { scratch } from '../scratch.ts';

const kernel = vectorKey(0, 'lease', 'kernel-1');
const executor = vectorKey(1, 'result', 'executor-1');
const MANIFESTS: readonly TaskManifest[] = [
  MANIFEST,
  { ...MANIFEST, task_id: 't2', capability_id: 'FILE_DELETE', inputs: { source_path: '/a/b' }, constraints: { reversible: true } },
  { ...MANIFEST, task_id: 't3', inputs: { ...MANIFEST.inputs, deep: { x: [1, { y: null }] } } },
];

/** Jobs as a producer writes them, each under a lease of its own. */
export const JOB_SEEDS: readonly string[] = await Promise.all(
  MANIFESTS.map(async (manifest) => {
    const payload: LeasePayload = {
      ...LEASE,
      jti: `j-${manifest.task_id}`,
      task_id: manifest.task_id,
      capability_id: manifest.capability_id,
      manifest_sha256: manifestSha256(manifest),
    };
    return JSON.stringify({
      v: 1,
      manifest,
      lease: await signLease(payload, kernel, ed25519),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
  }),
);
export const JOB_WORDS = [
  'v',
  'manifest',
  'lease',
  'traceparent',
  'task_id',
  'capability_id',
  'inputs',
  'constraints',
  'provenance',
  'undo_of',
  'plan',
  'reversible',
  'scope',
  'FILE_MOVE',
  'SEARCH_FILES',
  'TOOL_CALL',
  'webhook',
  'not_before',
];

/** The data of a job on the queue, which anybody who reaches Redis writes, through the whole pipeline of a worker without files. */
export const job: Boundary = {
  shape: 'json',
  what: 'data of jobs on the queue, through the pipeline of a worker',
  async open() {
    const { home, remove } = scratch('job');
    const { deps, stop } = await pipelineIn(home);
    let executed = 0;
    const counted: PipelineDeps = { ...deps, executorOf: () => counting(() => (executed += 1)) };
    const seeds = new Set(JOB_SEEDS.map((text) => JSON.stringify(JSON.parse(text).manifest)));
    let n = 0;
    return {
      seeds: JOB_SEEDS,
      words: JOB_WORDS,
      async run(input) {
        const before = executed;
        n += 1;
        const data = parsed(input);
        const running = counted.inFlight.begin(`${n}`);
        const attempt = { addedAt: 0, fetchedAt: 0, started: 1, failed: 0, failures: 0 };
        const { signal } = running.controller;
        const delivery = {
          data,
          queue: LEASE.aud,
          jobId: `${n}`,
          prefix: '{writ}',
          attempt,
          signal,
          stop: () => running.controller.abort(),
          lockIsFresh: () => true,
        };
        const end = await runDelivery(delivery, running, counted).finally(() => counted.inFlight.end(running));
        shown(JSON.stringify(end));
        const manifest = JSON.stringify((data as { manifest?: unknown } | null | undefined)?.manifest);
        if (executed > before && !seeds.has(manifest)) throw new FuzzFault(`what nobody leased was executed: ${manifest}`);
        return end.kind;
      },
      async close() {
        await stop();
        remove();
      },
    };
  },
};

function counting(count: () => void): TaskExecutor {
  return {
    capabilities: new Set(['*']),
    maxRunMs: 1000,
    execute: async ({ manifest }) => {
      count();
      return { kind: 'outcome', outcome: success({ task_id: manifest.task_id, done: true }) };
    },
  };
}

async function pipelineIn(home: string): Promise<{ deps: Omit<PipelineDeps, 'executorOf'>; stop: () => Promise<unknown> }> {
  const clock = testClock();
  const channels = createMemoryChannels();
  const ledger = createMemoryLedger({ retentionMs: 86_400_000, clock, channels });
  await ledger.markGeneration('first');
  const leaseKeys = fixedKeyring([kernel]);
  const revocations = createRevocationMirror({ path: path.join(home, 'revocations.ndjson'), open: openTokenFile, keyring: leaseKeys, ed25519 });
  await revocations.start();
  const feed = createMemoryRevocations(channels);
  const deps = {
    ...{ instance: 'worker-1', clock, ledger, presence: createMemoryPresence(clock), inFlight: createInFlight(), faults: createRepeatedFaults() },
    authorities: createAuthorities({ leaseKeys, ed25519, revocations, feed, clock, issuer: LEASE.iss, maxTtl: 86_400 }),
    results: createResultReader({ keyring: fixedKeyring([executor]), ed25519 }),
    signer: createResultSigner(executor, ed25519),
    recoverLedger: async () => ledger.markGeneration('second'),
    report: () => undefined,
    promote: async (keys: readonly string[]) => keys.length,
    wakePlan: async () => undefined,
  };
  return { deps, stop: async () => revocations.stop() };
}
