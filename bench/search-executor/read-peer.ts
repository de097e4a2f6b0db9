import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';

/** A plain read in a warm process: every byte of a mail store into one buffer, with blocking calls, and nothing else. */
export interface ReadWish {
  readonly store: 'mbox' | 'maildir';
  readonly path: string;
}
export interface ReadReport {
  readonly ms: number;
  readonly bytes: number;
}

const buffer = Buffer.allocUnsafeSlow(1024 * 1024);
const READ = { mbox: readFile, maildir: readMaildir } satisfies Record<ReadWish['store'], (path: string) => number>;

process.on('message', ({ store, path: place }: ReadWish) => {
  const start = performance.now();
  const bytes = READ[store](place);
  process.send?.({ ms: performance.now() - start, bytes } satisfies ReadReport);
});
process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

function readMaildir(root: string): number {
  let bytes = 0;
  for (const folder of ['new', 'cur']) {
    for (const name of readdirSync(path.join(root, folder))) bytes += readFile(path.join(root, folder, name));
  }
  return bytes;
}

function readFile(file: string): number {
  const fd = openSync(file, 'r');
  let bytes = 0;
  for (let count = -1; count !== 0; bytes += count) count = readSync(fd, buffer, 0, buffer.length, null);
  closeSync(fd);
  return bytes;
}
