/** Runs without privileges (see `asUnprivileged`) in a directory that it may write, and prints what a held base says as JSON. */
import * as fs from 'node:fs';
import path from 'node:path';
import { createConfinedFileSystem, LOCAL_FILESYSTEMS } from '../../../src/adapters/linux/confined-fs/index.ts';

const [root = ''] = process.argv.slice(2);
const [here, away] = [path.join(root, 'mine'), path.join(root, 'away')];
fs.mkdirSync(here);
const base = await createConfinedFileSystem({ level: 'auto', allowedFilesystems: LOCAL_FILESYSTEMS }).openBase('b', here);
const seen: string[] = [];
const look = (): void => {
  const standing = base.standing();
  seen.push(standing.same ? 'same' : standing.why);
};
look();
fs.renameSync(here, away);
fs.mkdirSync(here);
look();
fs.rmdirSync(here);
fs.symlinkSync(away, here);
look();
fs.unlinkSync(here);
fs.renameSync(away, here);
look();
process.stdout.write(JSON.stringify(seen));
