import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Stage } from '../stage.ts';

/** With all that is told of each: more than a watcher's queue holds (16,384). */
const STORM_FILES = 4500;
const STOPPED_MS = 1500;
const WRONG_BYTES = 16;

/** More changes than the kernel keeps for the index host, which is stopped meanwhile. */
export async function storm({ site, next }: Stage): Promise<void> {
  const frozen = site.roles.freeze('index-host', STOPPED_MS);
  const directory = path.join(site.tree, `storm-${next()}`);
  mkdirSync(directory);
  for (let at = 0; at < STORM_FILES; at += 1) writeFileSync(path.join(directory, `${at}.txt`), `leaf ${at}\n`);
  rmSync(directory, { recursive: true });
  await frozen;
}

/** Wrong bytes somewhere in the files of the index, found by the next host or by a search. */
export async function damageIndex({ site, random }: Stage): Promise<void> {
  await site.roles.kill('index-host', () => {
    const files = readdirSync(site.cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    if (files.length === 0) return;
    const { parentPath, name } = random.pick(files);
    const file = openSync(path.join(parentPath, name), 'r+');
    const { size } = fstatSync(file);
    const bytes = Buffer.from(Array.from({ length: WRONG_BYTES }, () => random.integer(256)));
    if (size > WRONG_BYTES) writeSync(file, bytes, 0, WRONG_BYTES, random.integer(size - WRONG_BYTES));
    closeSync(file);
  });
}
