import { createConfinedFileSystem } from '../../../src/adapters/linux/confined-fs/index.ts';
import { createInstanceRegistry } from '../../../src/adapters/linux/instances.ts';
import { createFileJournal } from '../../../src/adapters/sqlite/journal/journal.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Task } from '../../../src/core/ports/index.ts';
import { createFileExecutor } from '../../../src/executors/file/index.ts';
import { ALL_FILESYSTEMS, deliver, ending } from '../../support/file-executor.ts';
import { withFaults, withoutNoReplace } from './faults.ts';

/** A worker process of its own over a rig's directories; its one argument says what it does. */
export interface ChildOrder {
  readonly directory: string;
  readonly bases: readonly { readonly id: string; readonly path: string }[];
  readonly tasks: readonly Task[];
  /** Where it kills or stops itself. */
  readonly at?: string;
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
  readonly withoutNoReplace?: boolean;
}

const order: ChildOrder = JSON.parse(process.argv[2] ?? '');
const journal = createFileJournal({ file: `${order.directory}/journal.sqlite` });
const instances = createInstanceRegistry({ directory: `${order.directory}/workers` });
await Promise.all([journal.start(), instances.start()]);
const real = createConfinedFileSystem({ level: 'auto', allowedFilesystems: ALL_FILESYSTEMS });
const executor = createFileExecutor({
  bases: order.bases,
  fileSystem: order.withoutNoReplace ? withFaults(real, withoutNoReplace) : real,
  journal,
  instances,
  limits: { maxRunMs: 60_000, maxBytes: 1024 ** 3, hashMaxBytes: 1024 ** 3, vaultQuotaBytes: 1024 ** 3 },
  clock: systemClock,
  onPoint: (point) => {
    if (point === order.at) process.kill(process.pid, order.signal);
  },
});
await executor.start();
process.send?.({ started: true });
const ends: string[] = [];
for (const task of order.tasks) ends.push(await ending(deliver(executor, task)));
process.send?.({ ends });
await executor.stop();
await Promise.all([journal.stop(), instances.stop()]);
process.disconnect();
