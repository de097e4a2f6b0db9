import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../../src/core/errors.ts';
import { startKernel } from '../../fixtures/authority/kernel-rig.ts';

/** Runs in a mount namespace of its own: a kernel on a file system of 512 KiB that is filled, and has room again. */
const directory = process.argv[2] ?? '';
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=0700', 'writ-test', directory], { encoding: 'utf8' });
if (mounted.status !== 0) throw new Error(`mount -t tmpfs -o size=512k writ-test ${directory}: ${mounted.stderr}`);

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
for (let bytes = 2 ** 18; bytes >= 1; bytes = Math.floor(bytes / 2)) {
  try {
    writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
  } catch {
    // There is not so much room any more.
  }
}
const full = new Set<string>();
for (let n = 0; n < 20; n += 1) full.add(await ask());
rmSync(filler);
const after = await ask();
await rig.stop();
process.stdout.write(JSON.stringify({ before, full: [...full].filter((answer) => answer !== 'signed'), after, reports: [...new Set(rig.reports)] }));
