import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  type Dirent,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Random } from '../random.ts';
import { randomFile, randomText } from './random-tree.ts';

/** Something that a user or a program does to a tree. Each has returned before the next search begins. */
export type Change = (random: Random, root: string) => void;

/** What a file system refuses (a rename to another one, no room) is no change. */
export function apply(change: Change, random: Random, root: string): void {
  try {
    change(random, root);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Every kind of change by name; a change that finds nothing to work on does nothing. */
export const CHANGES = {
  create: (random, root) => writeFileSync(path.join(anyDirectory(random, root), freshName(random)), content(random)),
  write: onFile((random, file) => writeFileSync(file, content(random))),
  append: onFile((random, file) => appendFileSync(file, `${randomText(random)}\n`)),
  truncate: onFile((random, file) => truncateSync(file, random.integer(1 + lstatSync(file).size))),
  'the same size within the same tick': onFile(sameSize),
  'a write in the middle': onFile((random, file) => {
    const fd = openSync(file, 'r+');
    writeSync(fd, randomText(random), random.integer(1 + lstatSync(file).size));
    closeSync(fd);
  }),
  'rename over another': onFile((random, file, root) => renameSync(file, pick(random, filesIn(root)) ?? file)),
  'rename into another directory': onFile((random, file, root) => renameSync(file, path.join(anyDirectory(random, root), freshName(random)))),
  'move of a directory': onDirectory((random, directory, root) => {
    const target = path.join(anyDirectory(random, root), freshName(random));
    if (!`${target}/`.startsWith(`${directory}/`)) renameSync(directory, target);
  }),
  'directories and a file at once': (random, root) => {
    const deep = path.join(anyDirectory(random, root), freshName(random), freshName(random));
    mkdirSync(deep, { recursive: true });
    writeFileSync(path.join(deep, 'new.txt'), content(random));
  },
  remove: onFile((_, file) => rmSync(file)),
  'remove of a directory': onDirectory((_, directory) => rmSync(directory, { recursive: true })),
  'permission of a file': onFile((random, file) => chmodSync(file, random.pick([0o000, 0o644]))),
  'permission of a directory': onDirectory((random, directory) => chmodSync(directory, random.pick([0o700, 0o755]))),
  'edit of an ignore file': (random, root) => writeFileSync(path.join(anyDirectory(random, root), random.pick(['.gitignore', '.ignore'])), random.pick(RULES)),
  'exclude of git': (random, root) => {
    mkdirSync(path.join(root, '.git/info'), { recursive: true });
    writeFileSync(path.join(root, '.git/info/exclude'), random.pick(RULES));
  },
  'a link in the place of a file': onFile((random, file, root) => {
    rmSync(file);
    symlinkSync(pick(random, filesIn(root)) ?? root, file);
  }),
  'a link in the place of a directory': onDirectory((_, directory, root) => {
    const aside = path.join(root, `aside-${path.basename(directory)}`);
    if (existsSync(aside)) return;
    renameSync(directory, aside);
    symlinkSync(aside, directory);
  }),
  // Beside the file: of a name in a place that nobody watches no event tells (docs/index-watch.md 4).
  'a hard link, and a write through it': onFile((random, file) => {
    const other = path.join(path.dirname(file), freshName(random));
    linkSync(file, other);
    appendFileSync(other, `${randomText(random)}\n`);
  }),
  /** As root only: others may not mount, and for them this is no change. */
  'a mount, or the end of one': onDirectory((random, directory) => {
    if (process.getuid?.() !== 0) return;
    if (isMounted(directory)) unmount(directory);
    else if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', directory]).status === 0)
      writeFileSync(path.join(directory, 'mounted.txt'), content(random));
  }),
  'old times put back': onFile((random, file) => {
    const { atime, mtime, size } = lstatSync(file);
    writeFileSync(file, content(random).subarray(0, size));
    utimesSync(file, atime, mtime);
  }),
} satisfies Record<string, Change>;

export type ChangeName = keyof typeof CHANGES;
export const CHANGE_NAMES = Object.keys(CHANGES) as readonly ChangeName[];

/** More events than the kernel keeps for a host that does not read: nothing merges two that differ. */
export function burst(root: string): void {
  const files = ['burst-1', 'burst-2'].map((name) => openSync(path.join(root, name), 'a'));
  const queue = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  for (let event = 0; event <= queue; event += 1) writeSync(files[event % 2] ?? 0, '.');
  for (const fd of files) closeSync(fd);
}

const isMounted = (directory: string): boolean => lstatSync(directory).dev !== lstatSync(path.dirname(directory)).dev;
const unmount = (directory: string): void => void spawnSync('umount', ['-l', directory]);

/** A tree that is to be removed must not have foreign file systems in it; the last one that was mounted may cover another. */
export function unmountAll(root: string): void {
  const points = readFileSync('/proc/self/mountinfo', 'latin1')
    .split('\n')
    .map((line) => unescaped(line.split(' ')[4] ?? ''));
  for (const point of points.reverse()) if (point.startsWith(`${root}/`)) unmount(point);
}

const unescaped = (text: string): string =>
  Buffer.from(
    text.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
    'latin1',
  ).toString();

/** Words that patterns are made of, so that searches find something. */
const WORDS = ['needle', 'Needle', 'hay', 'straw', 'être', 'Kelvin', 'zap_page', 'abc', 'naïve', 'ſtrange', '中文字', 'ab-cd'];
const RULES = ['*.log\n', 'new.txt\n', 'build/\n', '*\n!*.txt\n!*/\n', '', '!*\n', 'a*\n'];

/** A file with some words among oddities. */
function content(random: Random): Buffer {
  const words = Array.from({ length: random.integer(4) }, () => random.pick(WORDS)).join(random.pick([' ', '\n', '']));
  return random.chance(0.7) ? Buffer.from(`${words}\n`) : Buffer.concat([randomFile(random), Buffer.from(words)]);
}

/** What is looked for: a word, a part of some file, or anything. */
export function soughtText(random: Random, root: string): string {
  const file = pick(random, filesIn(root));
  if (file !== undefined && random.chance(0.4)) {
    const characters = Array.from(
      readFileSync(file)
        .toString('utf8')
        .replaceAll(/[\0\r\n\ufffd]/g, ''),
    );
    const at = random.integer(Math.max(1, characters.length));
    const part = characters.slice(at, at + 3 + random.integer(5)).join('');
    if (part !== '') return part;
  }
  return random.chance(0.8) ? random.pick(WORDS) : `${random.pick(WORDS)}${random.pick(WORDS)}`;
}

/** Same length, other bytes: only the change time can tell, if the clock has gone on. */
function sameSize(_: Random, file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes);
  writeFileSync(file, Buffer.from(bytes.map((byte) => (byte === 0x65 ? 0x61 : byte === 0x61 ? 0x65 : byte))));
}

function onFile(work: (random: Random, file: string, root: string) => void): Change {
  return (random, root) => {
    const file = pick(random, filesIn(root));
    if (file !== undefined) work(random, file, root);
  };
}

function onDirectory(work: (random: Random, directory: string, root: string) => void): Change {
  return (random, root) => {
    const directory = pick(random, directoriesIn(root).slice(1));
    if (directory !== undefined) work(random, directory, root);
  };
}

const pick = <T>(random: Random, items: readonly T[]): T | undefined => (items.length === 0 ? undefined : random.pick(items));
const anyDirectory = (random: Random, root: string): string => random.pick(directoriesIn(root));
const freshName = (random: Random): string =>
  random.pick(['n', 'a.txt', 'b.log', 'sub', 'é', 'new\nline', 'x.md', 'build', '.hid', 'q r']) + random.integer(40);

/** Regular files whose names are UTF-8; what another change has taken away meanwhile does not count. */
function filesIn(root: string): string[] {
  return directoriesIn(root).flatMap((directory) =>
    entriesOf(directory)
      .filter((entry) => entry.isFile() && !entry.name.includes('\ufffd'))
      .map((entry) => path.join(directory, entry.name)),
  );
}

function directoriesIn(root: string): string[] {
  const found = [root];
  for (const directory of found) {
    for (const entry of entriesOf(directory)) {
      if (entry.isDirectory() && entry.name !== '.git' && !entry.name.includes('\ufffd')) found.push(path.join(directory, entry.name));
    }
  }
  return found;
}

/** In an order that no file system decides: a seed makes the same history again. */
function entriesOf(directory: string): Dirent[] {
  return readdirSync(directory, { withFileTypes: true }).sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}
