import { existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rollingLog } from '../../../src/adapters/linux/rolling-log.ts';
import { rotating } from '../../../src/observability/log-rotation.ts';
import { createLogSink, descriptorFile } from '../../../src/observability/log-sink.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { manifestOf, startRig } from '../../support/rig.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

/** Runs in a mount namespace of its own: a worker with tasks in flight, whose rotating log lies on a file system of 128 KiB that is full. */
const directory = process.argv[2] ?? '';
mountSmallDisk(directory, { bytes: 2 ** 17, command: 'npm test' });

const fd = openSync(path.join(directory, 'worker.log'), 'a', 0o600);
const rolling = rollingLog({ directory, keep: 1, fd });
if (rolling === undefined) throw new Error('the log is no file of ours');
const file = rotating(descriptorFile(fd), rolling, { rotate_mb: 16 / 1024, rotate_s: 0 }, Date.now);
const sink = createLogSink(file);
const rig = await startRig({ log: createLogger('info', 'worker', { destination: sink }) });
await rig.startWorker({ queues: ['file'] });

/** Copies so many files, each of which must be done once and signed. */
async function copies(round: string, count: number): Promise<number> {
  const tasks = Array.from({ length: count }, (_, n) => {
    const source = path.join(rig.base, `${round}-${n}`);
    writeFileSync(source, round);
    return manifestOf('FILE_COPY', source, `${source}.copy`);
  });
  await Promise.all(tasks.map((task) => rig.push(task)));
  const done = await Promise.all(
    tasks.map(async (task) => (await rig.answer(task.task_id)).status === 'SUCCESS' && existsSync(String(task.inputs['destination_path']))),
  );
  return done.filter(Boolean).length;
}

const before = await copies('before', 10);
const filler = path.join(directory, 'filler');
for (let bytes = 2 ** 17; bytes >= 1; bytes = Math.floor(bytes / 2)) {
  try {
    writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
  } catch {
    // There is not so much room any more.
  }
}
const full = await copies('full', 80);
rmSync(filler);
const after = await copies('after', 20);
await rig.stop();
sink.flushSync();
const lost = readdirSync(directory)
  .flatMap((name) => readFileSync(path.join(directory, name), 'utf8').split('\n'))
  .filter((line) => line.endsWith('}'))
  .reduce((sum, line) => sum + ((JSON.parse(line) as { lines?: number }).lines ?? 0), 0);
process.stdout.write(JSON.stringify({ done: [before, full, after], hasLost: lost > 0 }));
process.exit(0);
