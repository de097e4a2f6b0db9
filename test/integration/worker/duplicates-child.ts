import { readFileSync } from 'node:fs';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createLogger } from '../../../src/observability/logging.ts';

/** A worker in a process of its own, to be killed. Nothing that it parks comes back by itself. */
const { config, dataDir, parkMs, dieAfterEffect } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  config: Parameters<typeof createWorkerRole>[0]['config'];
  dataDir: string;
  parkMs: number;
  dieAfterEffect: boolean;
};
const role = await createWorkerRole(
  { config, places: dataDirPaths(dataDir), log: createLogger('silent', 'worker') },
  { queues: ['file'], parkMs, onPoint: (point) => void (dieAfterEffect && point === 'before-close' && process.kill(process.pid, 'SIGKILL')) },
);
await role.start();
