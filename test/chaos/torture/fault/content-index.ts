import { chmodSync, closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { PLANTED } from '../installation.ts';
import type { Stage } from '../stage.ts';

/** How many changes the kernel keeps for a watcher. */
const QUEUE = '/proc/sys/fs/inotify/max_queued_events';
const STOPPED_MS = 1500;
const WRONG_BYTES = 16;

/**
 * More changes than the kernel keeps for the index host, which is stopped meanwhile. They are made where it watches already, and
 * of two files in turn: what comes twice in a row is kept once.
 */
export async function storm({ site, next }: Stage): Promise<void> {
  const number = next();
  const leaves = ['a', 'b'].map((name) => path.join(site.tree, PLANTED, `storm-${number}-${name}.txt`));
  for (const leaf of leaves) writeFileSync(leaf, 'leaf\n');
  const changes = 1 + Number(readFileSync(QUEUE, 'utf8'));
  await site.roles.freeze('index-host', STOPPED_MS, () => {
    for (let left = changes; left > 0; left -= leaves.length) for (const leaf of leaves) chmodSync(leaf, left % 4 < 2 ? 0o600 : 0o640);
  });
  for (const leaf of leaves) rmSync(leaf);
}

/** Wrong bytes somewhere in the files of the index, found by the next host or by a search. */
export async function damageIndex({ site, random }: Stage): Promise<void> {
  await site.roles.kill('index-host', () => {
    const files = readdirSync(site.cache, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.join(parentPath, name))
      .filter((file) => statSync(file).size > WRONG_BYTES);
    // Of an index that is only being built there may be none.
    if (files.length === 0) return;
    const file = random.pick(files);
    const bytes = Buffer.from(Array.from({ length: WRONG_BYTES }, () => random.integer(256)));
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, bytes, 0, WRONG_BYTES, random.integer(statSync(file).size - WRONG_BYTES));
    closeSync(descriptor);
  });
}
