import { readFileSync } from 'node:fs';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createLogger } from '../../../src/observability/logging.ts';

/** A worker that kills itself when the effect of its first task has happened and the answer is not written. */
const { config, dataDir } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  config: Parameters<typeof createWorkerRole>[0]['config'];
  dataDir: string;
};
const role = await createWorkerRole(
  { config, places: dataDirPaths(dataDir), log: createLogger('silent', 'worker') },
  { onPoint: (point) => void (point === 'before-close' && process.kill(process.pid, 'SIGKILL')) },
);
await role.start();
