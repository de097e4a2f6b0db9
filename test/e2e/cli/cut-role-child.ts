import { loadConfig } from '../../../config/load.ts';
import { serve } from '../../../src/bin/roles/serve.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { holdSettings } from '../../../src/reload/live-settings.ts';

/** A worker for files as `writ worker` starts it, which kills itself right after a step of a reload. */
const [dataDir = '', deadly] = process.argv.slice(2);
const read = () => loadConfig({ dataDir, env: {} }).config;
const config = read();
const context = { config, places: dataDirPaths(dataDir), log: createLogger('warn', 'worker'), reloadable: { settings: holdSettings(config), read } };
const onPoint = (point: string): void => {
  if (point === deadly) process.kill(process.pid, 'SIGKILL');
};
process.exit(await serve(context, () => createWorkerRole(context, { queues: ['file'] }), { role: 'worker', drainMs: 1000, onPoint }));
