import { rmSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../../src/core/errors.ts';
import { startKernel } from '../../fixtures/authority/kernel-rig.ts';
import { fillDisk, mountSmallDisk } from '../../support/small-disk.ts';

/** Runs in a mount namespace of its own: a kernel on a file system of 512 KiB that is filled, and has room again. */
const directory = process.argv[2] ?? '';
mountSmallDisk(directory, { bytes: 2 ** 19, command: 'npm test' });

const rig = await startKernel({ dir: directory });
let number = 0;
/** What a lease of a new task costs the store: its manifest is kept. */
async function ask(): Promise<string> {
  number += 1;
  const inputs = { source_path: `/data/${'x'.repeat(3000)}`, destination_path: `/data/${number}` };
  const manifest = { task_id: `t-${number}`, capability_id: 'FILE_MOVE', inputs, constraints: {} };
  return rig.client.issueOne({ manifest }).then(
    () => 'signed',
    (error: unknown) => `${error instanceof Error && 'code' in error ? String(error.code) : 'no code'}: ${messageOf(error)}`,
  );
}

const before = await ask();
const filler = path.join(directory, 'filler');
fillDisk(filler);
const full = new Set<string>();
for (let n = 0; n < 20; n += 1) full.add(await ask());
rmSync(filler);
const after = await ask();
await rig.stop();
process.stdout.write(JSON.stringify({ before, full: [...full].filter((answer) => answer !== 'signed'), after, reports: [...new Set(rig.reports)] }));
