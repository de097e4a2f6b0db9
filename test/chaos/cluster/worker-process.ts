import { readFileSync } from 'node:fs';
import type { Config } from '../../../config/schema.ts';
import { serve } from '../../../src/bin/roles/serve.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createLogger } from '../../../src/observability/logging.ts';

/** What a worker of this suite is started with; it lies as JSON in the file that its argument names. */
export interface ClusterWorkerSetup {
  readonly config: Config;
  readonly dataDir: string;
}

/** A worker as `writ worker` starts it. */
const setup: ClusterWorkerSetup = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
// Without the test that started it, nobody would end it.
process.once('disconnect', () => process.exit(1));
const { config } = setup;
const context = { config, places: dataDirPaths(setup.dataDir), log: createLogger(config.log.level, 'chaos') };
// No `await` at the top: the bundle is a script.
void serve(context, () => createWorkerRole(context), { role: 'worker', drainMs: config.worker.drain_ms }).then((code) => process.exit(code));
