import { readFileSync } from 'node:fs';
import { ConfigSchema } from '../../../config/schema.ts';
import { placesOf } from '../../../src/bin/places.ts';
import { serve } from '../../../src/bin/roles/serve.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { createLogger } from '../../../src/observability/logging.ts';

/** A worker as `writ worker --queues …` starts it. */
const { config: settings, dataDir, queues } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

// Without the test that started it, nobody would end it.
process.once('disconnect', () => process.exit(1));

const config = ConfigSchema.parse(settings);
const context = { config, places: placesOf(dataDir), log: createLogger(config.log.level, 'chaos') };
process.exit(await serve(context, () => createWorkerRole(context, { queues }), { drainMs: config.worker.drain_ms }));
