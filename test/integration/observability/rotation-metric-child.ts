import { closeSync, openSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { rollingLog } from '../../../src/adapters/linux/rolling-log.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { followRotation } from '../../../src/observability/rotation-trouble.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

/**
 * Runs in a mount namespace of its own: the log of a role, its standard error, on a file system without room for another
 * name; then with room. Says what the metric shows before, meanwhile and after.
 */
const directory = process.argv[2] ?? '';
mountSmallDisk(directory, { bytes: 2 ** 20, names: 12, command: 'npm test' });

const file = path.join(directory, 'worker.log');
closeSync(2);
// The lowest descriptor that is free.
if (openSync(file, 'a', 0o600) !== 2) throw new Error('the log is not the standard error');
const { now } = Date;
let ahead = 0;
Date.now = () => now() + ahead;

const log = createLogger('info', 'worker', { rotation: { file: rollingLog({ directory, keep: 1 }), settings: { rotate_mb: 32 / 1024, rotate_s: 0 } } });
const metrics = createMetrics('worker', '0.0.0-test');
followRotation(metrics, log, ['log']);
const shown: string[] = [];
const look = async (): Promise<string> => /^writ_rotation_failing\{file="log"\} (\d)$/m.exec(await metrics.text())?.[1] ?? 'nothing';
/** Says lines until the metric shows this. */
async function sayUntil(value: string): Promise<void> {
  while ((await look()) !== value) {
    log.info({ text: 'x'.repeat(9000) }, 'a line');
    await delay(5);
  }
  shown.push(value);
}

shown.push(await look());
const fillers: string[] = [];
try {
  for (;;) {
    const filler = path.join(directory, `filler-${fillers.length}`);
    writeFileSync(filler, '');
    fillers.push(filler);
  }
} catch {
  // There is no room for another name.
}
await sayUntil('1');
const grown = statSync(file).size;
for (const filler of fillers) rmSync(filler);
ahead += 60_000;
await sayUntil('0');
process.stdout.write(JSON.stringify({ shown, isLong: grown >= 32 * 1024, rolled: readdirSync(directory).sort() }));
process.exit(0);
