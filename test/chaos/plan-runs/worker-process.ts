import { readFileSync } from 'node:fs';
import { ConfigSchema } from '../../../config/schema.ts';
import { placesOf } from '../../../src/bin/places.ts';
import { serve } from '../../../src/bin/roles/serve.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createRandom } from '../../support/random.ts';

/** A worker as `writ worker --queues …` starts it. */
const { config: settings, dataDir, queues } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

// Without the test that started it, nobody would end it.
process.once('disconnect', () => process.exit(1));

const random = createRandom(process.pid);
let deadly = 0;
process.on('message', (share) => {
  deadly = Number(share);
});
/** Now and then a point is the last that this process passes. */
const strike = (): void => {
  if (random.chance(deadly)) process.kill(process.pid, 'SIGKILL');
};

const config = ConfigSchema.parse(settings);
const context = { config, places: placesOf(dataDir), log: createLogger(config.log.level, 'chaos') };
process.exit(
  await serve(context, () => createWorkerRole(context, { queues, onPoint: strike, onPlanPoint: strike, onToolPoint: strike }), {
    drainMs: config.worker.drain_ms,
  }),
);
