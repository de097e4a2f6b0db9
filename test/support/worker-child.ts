import { readFileSync } from 'node:fs';
import type { Config } from '../../config/schema.ts';
import { serve } from '../../src/bin/roles/serve.ts';
import { createWorkerRole } from '../../src/bin/roles/worker.ts';
import { dataDirPaths } from '../../src/data-dir/paths.ts';
import { createLogger } from '../../src/observability/logging.ts';

/** What the worker is started with; it lies as JSON in the file that its argument names. */
export interface WorkerChildSetup {
  readonly config: Config;
  readonly dataDir: string;
}

/** A worker for searches as `writ worker` starts it, in an environment that the test chooses. */
const { config, dataDir }: WorkerChildSetup = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const context = { config, places: dataDirPaths(dataDir), log: createLogger('silent', 'worker') };
process.exit(await serve(context, () => createWorkerRole(context, { queues: ['search'] }), { role: 'worker', drainMs: config.worker.drain_ms }));
