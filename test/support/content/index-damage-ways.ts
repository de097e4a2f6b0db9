import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Random } from '../random.ts';

/** Something that happens to one file of an index, beside all that its host does. `others`: all that there is. */
export type Damage = (random: Random, file: string, others: readonly string[]) => void;

/** Every kind of damage by name. */
export const DAMAGES = {
  truncated: onFile((random, file) => truncateSync(file, random.integer(1 + lstatSync(file).size))),
  emptied: onFile((_, file) => truncateSync(file, 0)),
  'one bit flipped': onFile((random, file) => flip(random, file, 1)),
  'many bits flipped': onFile((random, file) => flip(random, file, 64)),
  grown: onFile((random, file) => appendFileSync(file, Buffer.alloc(1 + random.integer(5_000), random.integer(256)))),
  swapped: (random, file, others) => exchange(file, random.pick(others)),
  'overwritten by another': onFile((random, file, others) => {
    const other = random.pick(others);
    if (other !== file && lstatSync(other).isFile()) copyFileSync(other, file);
  }),
  deleted: (_, file) => rmSync(file, { recursive: true }),
  'a directory': replaced((file) => mkdirSync(file)),
  'a FIFO': replaced((file) => execFileSync('mkfifo', [file], { stdio: 'ignore' })),
  'a link to nothing': replaced((file) => symlinkSync('nowhere', file)),
  'a link to what never ends': replaced((file) => symlinkSync('/dev/zero', file)),
  'a link to itself moved': (_, file) => {
    const aside = `${file}.moved`;
    if (existsSync(aside)) return;
    renameSync(file, aside);
    symlinkSync(aside, file);
  },
} satisfies Record<string, Damage>;

export type DamageName = keyof typeof DAMAGES;
export const DAMAGE_NAMES = Object.keys(DAMAGES) as readonly DamageName[];

/** Everything beneath a cache root, directories too; what goes meanwhile is left out. */
export function everythingIn(directory: string): string[] {
  const found: string[] = [];
  for (const name of namesIn(directory)) {
    const entry = path.join(directory, name);
    found.push(entry);
    if (lstatSync(entry, { throwIfNoEntry: false })?.isDirectory() === true) found.push(...everythingIn(entry));
  }
  return found;
}

/** What kind of file of an index it is, for counting. */
export function kindOf(file: string): string {
  return path
    .basename(file)
    .replace(/\d+/g, '*')
    .replace(/^[*0-9a-f]{4,}$/, 'directory');
}

/** A copy of a cache as it is, to be put back later; sockets are left out. */
export function copyOf(cacheRoot: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(cacheRoot, to, { recursive: true, filter: (file) => ['isFile', 'isDirectory'].some((is) => lstatSync(file)[is as 'isFile']()) });
}

function onFile(work: Damage): Damage {
  return (random, file, others) => {
    if (lstatSync(file).isFile()) work(random, file, others);
    else rmSync(file, { recursive: true });
  };
}

function replaced(make: (file: string) => void): Damage {
  return (_, file) => {
    rmSync(file, { recursive: true });
    make(file);
  };
}

function exchange(one: string, other: string): void {
  if (one === other || `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`)) return;
  const aside = `${one}.swap`;
  renameSync(one, aside);
  renameSync(other, one);
  renameSync(aside, other);
}

/** In place, so that those who have it open see it. */
function flip(random: Random, file: string, most: number): void {
  const fd = openSync(file, 'r+');
  const { size } = fstatSync(fd);
  const byte = Buffer.alloc(1);
  for (let bits = 1 + random.integer(most); bits > 0 && size > 0; bits -= 1) {
    const at = random.integer(size);
    readSync(fd, byte, 0, 1, at);
    writeSync(fd, Buffer.of((byte[0] ?? 0) ^ (1 << random.integer(8))), 0, 1, at);
  }
  closeSync(fd);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
