import { openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rollingLog } from '../../../src/adapters/linux/rolling-log.ts';
import { rotating } from '../../../src/observability/log-rotation.ts';
import { createLogSink, descriptorFile } from '../../../src/observability/log-sink.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

/** Runs in a mount namespace of its own: fills a file system of 256 KiB under a rotating log, makes room, and goes on. */
const directory = process.argv[2] ?? '';
mountSmallDisk(directory, { bytes: 2 ** 18, command: 'npm test' });

const fd = openSync(path.join(directory, 'worker.log'), 'a', 0o600);
const rolling = rollingLog({ directory, keep: 1, fd });
if (rolling === undefined) throw new Error('the log is no file of ours');
let now = 0;
const file = descriptorFile(fd);
const settled: (() => void)[] = [];
const told = {
  ...file,
  write: (text: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void) =>
    file.write(text, (error, written) => {
      done(error, written);
      settled.shift()?.();
    }),
};
const sink = createLogSink(rotating(told, rolling, { rotate_mb: 60 / 1024, rotate_s: 0 }, () => now));
const log = createLogger('info', 'worker', { destination: sink });
/** A write of the log, whatever becomes of it. */
const write = (): Promise<void> =>
  new Promise((resolve) => {
    settled.push(resolve);
    log.info({ text: 'x'.repeat(9000) }, 'a line');
  });

for (let n = 0; n < 5; n += 1) await write();
const filler = path.join(directory, 'filler');
for (let bytes = 2 ** 18; bytes >= 4096; bytes /= 2) {
  try {
    writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
  } catch {
    // There is not so much room any more.
  }
}
for (let n = 0; n < 20; n += 1) await write();
rmSync(filler);
now += 60_000;
for (let n = 0; n < 5; n += 1) await write();
sink.flushSync();

const rolled = readdirSync(directory).sort();
const lines = rolled.flatMap((name) =>
  readFileSync(path.join(directory, name), 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}')),
);
const records = lines.map((line) => JSON.parse(line) as { msg: string; lines?: number });
const lost = records.reduce((sum, { lines: gone = 0 }) => sum + gone, 0);
process.stdout.write(JSON.stringify({ said: records.filter(({ msg }) => msg === 'a line').length, lost, rolled }));
