import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigSchema } from '../../config/schema.ts';
import { queueName } from '../../queues/catalog.ts';
import { inlineEd25519, libraryOf } from '../../src/adapters/crypto/inline.ts';
import { createCryptoPool } from '../../src/adapters/crypto/pool.ts';
import { openKernelStore } from '../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Ed25519, PlanKernel } from '../../src/core/ports/index.ts';
import { jwksFile, readPrivateKey } from '../../src/data-dir/key-files.ts';
import { dataDirPaths } from '../../src/data-dir/paths.ts';
import { planLogic } from '../../src/executors/plan/index.ts';
import { createKernel, createKernelServer, deriveRoutes } from '../../src/kernel/index.ts';
import { createKeyring } from '../../src/lease/index.ts';
import { BINDINGS, STEP_QUEUE } from './bindings.ts';

/** What it has done so far; told when it is asked. */
export interface KernelCounts {
  calls: number;
  signed: number;
  verified: number;
}

/** The kernel in a process of its own, as in production, until it is ended. */
const { home } = JSON.parse(process.argv[2] ?? '') as { home: string };
readFileSync(path.join(home, 'target.json'));
const places = dataDirPaths(path.join(home, 'data'));
const { issuer, default_ttl_s: ttl, max_ttl_s: maxTtl } = ConfigSchema.parse({}).lease;
let ids = 0;
const pool = createCryptoPool({ threads: 1, library: 'best' });
const counts: KernelCounts = { calls: 0, signed: 0, verified: 0 };
const counting = (ed25519: Ed25519): Ed25519 => ({
  sign(...operation) {
    counts.signed += 1;
    return ed25519.sign(...operation);
  },
  verify(...operation) {
    counts.verified += 1;
    return ed25519.verify(...operation);
  },
});
const kernel = createKernel({
  store: openKernelStore(path.dirname(places.kernelStore)),
  key: await readPrivateKey(places.kernelKey),
  kernelKeyring: createKeyring({ source: jwksFile(places.kernelKeyring), use: 'lease', clock: systemClock }),
  executorKeyring: createKeyring({ source: jwksFile(places.executorKeyring), use: 'result', clock: systemClock }),
  ed25519: counting(pool),
  config: { issuer, ttl, maxTtl, audienceOf: ({ capability_id: capability }) => (capability === 'FILE_COPY' ? 'file' : STEP_QUEUE) },
  plans: { logic: planLogic, bindings: BINDINGS, ed25519: counting(inlineEd25519(await libraryOf('best'))), queue: queueName('plan', 'default') },
  clock: systemClock,
  randomId() {
    ids += 1;
    return `bench-${process.pid}-${ids}`;
  },
});
const counted: PlanKernel = {
  derive(request) {
    counts.calls += 1;
    return kernel.derive(request);
  },
};
await pool.start();
await createKernelServer({ routes: (app, maxBytes) => deriveRoutes(app, counted, maxBytes), socketPath: places.deriveSocket, maxBodyBytes: 1 << 28 }).start();
process.on('message', () => process.send?.(counts));
process.send?.('ready');
