import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { serve } from '../../src/bin/roles/serve.ts';
import { createWorkerRole } from '../../src/bin/roles/worker.ts';
import { dataDirPaths } from '../../src/data-dir/paths.ts';
import { createLogger } from '../../src/observability/logging.ts';
import { forbidRenameat2 } from './forbid-renameat2.ts';
import { ledgerPoints } from './ledger-points.ts';
import type { WorkerSetup } from './setup.ts';
import { strikeAt } from './strike.ts';

/** A worker as `writ worker` starts it, which dies, stops or is disturbed where a plan says so. */
const setup: WorkerSetup = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
if (setup.withoutRenameat2) forbidRenameat2();

// Without the test that started it, nobody would end it.
process.once('disconnect', () => process.exit(1));

const onPoint = strikeAt(setup);
ledgerPoints(Redis.prototype, onPoint);
const { config } = setup;
const context = { config, places: dataDirPaths(setup.dataDir), log: createLogger(config.log.level, 'chaos') };
// No `await` at the top: the bundle is a script.
void serve(context, () => createWorkerRole(context, { onPoint }), { role: 'worker', drainMs: config.worker.drain_ms }).then((code) => process.exit(code));
