import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { type Config, ConfigSchema } from '../../../config/schema.ts';
import { serve } from '../../../src/bin/roles/serve.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createRandom } from '../../support/random.ts';
import { ledgerPoints } from '../ledger-points.ts';
import type { Point, WorkerSetup } from '../setup.ts';
import { strikeAt } from '../strike.ts';

/** What a worker of plans is started with; it lies as JSON in the file that its argument names. */
export interface PlanWorkerSetup extends Pick<WorkerSetup, 'dataDir' | 'armed' | 'fired'> {
  readonly config: Config;
  /** All queues when absent. */
  readonly queues?: readonly string[];
}

/** A worker as `writ worker --queues …` starts it, which dies where it is told to, and now and then where chance tells. */
const setup: PlanWorkerSetup = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

// Without the test that started it, nobody would end it.
process.once('disconnect', () => process.exit(1));

const random = createRandom(process.pid);
let deadly = 0;
process.on('message', (share) => {
  if (typeof share === 'number') deadly = share;
});
const strike = strikeAt(setup);
const onPoint = (point: Point, id: string): void => {
  strike(point, id);
  if (random.chance(deadly)) process.kill(process.pid, 'SIGKILL');
};
ledgerPoints(Redis.prototype, onPoint);

const config = ConfigSchema.parse(setup.config);
const context = { config, places: dataDirPaths(setup.dataDir), log: createLogger(config.log.level, 'chaos') };
const options = { queues: setup.queues, onPoint, onPlanPoint: onPoint, onToolPoint: onPoint };
// No `await` at the top: the bundle is a script.
void serve(context, () => createWorkerRole(context, options), { role: 'worker', drainMs: config.worker.drain_ms }).then((code) => process.exit(code));
