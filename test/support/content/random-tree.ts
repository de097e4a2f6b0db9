import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Random } from '../random.ts';

/** Names with every oddity that a file system allows, and names that rules and globs speak about. */
const NAMES = [
  'a',
  'b',
  'a.txt',
  'b.log',
  'c.txt',
  'a b',
  'a-b',
  'build',
  'lib',
  'src',
  '.hid',
  '.x.txt',
  '-dash',
  '--help',
  '#hash',
  '!bang',
  'br[a]',
  '*star',
  'q?',
  'back\\slash',
  'trail ',
  'new\nline',
  'tab\t',
  'esc\u001b[31m',
  "quo'te",
  '"dq"',
  'é',
  'e\u0301',
  'é.txt',
  'Ａ',
  '😀',
  '\ufffd',
  'z',
  'Z',
  '{br}',
  '$HOME',
  ':colon',
  '~',
  'id_rsa',
  'k.pem',
  '.ssh',
  '.writ-vault',
  'we:ird-1\nnl.txt',
  'CON',
  'x.KEY',
].map((name) => Buffer.from(name));
const ODD_BYTES = [Buffer.from([0xff]), Buffer.from([0x61, 0xe2, 0x82]), Buffer.from([0xfe, 0x2e, 0x74, 0x78, 0x74])];

const ATOMS = [
  'a',
  'b',
  'A',
  'B',
  'ab',
  ' ',
  '_',
  '-',
  '.',
  '+',
  '0',
  'é',
  'É',
  'ß',
  'ſ',
  's',
  'K',
  'k',
  'K',
  'π',
  '中',
  '\t',
  '\u001b[0m',
  'e\u0301',
  '\ufffd',
];
const BYTES = [
  ...ATOMS.map((atom) => Buffer.from(atom)),
  Buffer.from([0xff]),
  Buffer.from([0xe2, 0x82]),
  Buffer.from([0xe9]),
  Buffer.from([0]),
  Buffer.from('\r'),
];

const RULES = [
  '*.log',
  'build',
  'build/',
  '/a',
  '/lib/',
  'src/*.txt',
  '**/b',
  'lib/**',
  '!a.txt',
  '!*.log',
  '*.t?t',
  '[ab]',
  '[!a]*',
  'a/**/b',
  '\\#hash',
  '\\!bang',
  '# note',
  '',
  'é',
  'c.txt',
  '*',
  '!*/',
  '!/src',
  'tra*',
];
export const GLOBS = [
  '*.txt',
  '!*.log',
  'src/**',
  '!build',
  '!lib/',
  '*.{txt,log}',
  '/a',
  '**/b',
  '[a-b]*',
  '!é*',
  '-dash',
  '--help',
  '#hash',
  '*',
  '!**/src',
  'a/**',
  '*star',
  '\\*star',
];

/** Makes a tree beneath an empty directory: odd names and contents, ignore files anywhere, links, `.git` or not. */
export function plantTree(random: Random, root: string): void {
  const directories: Buffer[] = [Buffer.from(root)];
  const entries: Buffer[] = [];
  const links: Buffer[] = [];
  for (let count = 4 + random.integer(26); count > 0; count -= 1) {
    const parent = random.pick(directories);
    const at = Buffer.concat([parent, Buffer.from('/'), random.chance(0.06) ? random.pick(ODD_BYTES) : random.pick(NAMES)]);
    if (entries.some((entry) => entry.equals(at))) continue;
    entries.push(at);
    plant(random, at, directories, entries, links);
  }
  for (const directory of directories) {
    if (random.chance(0.3)) writeFileSync(under(directory, '.gitignore'), rules(random));
    if (random.chance(0.12)) writeFileSync(under(directory, '.ignore'), rules(random));
  }
  if (random.chance(0.3)) {
    mkdirSync(`${root}/.git/info`, { recursive: true });
    writeFileSync(`${root}/.git/info/exclude`, rules(random));
    writeFileSync(`${root}/.git/config`, 'a\n');
  }
}

/** Each link to a directory multiplies the ways that a search with `follow` has to go. */
const MAX_LINKS = 3;

function plant(random: Random, at: Buffer, directories: Buffer[], entries: readonly Buffer[], links: Buffer[]): void {
  const kind = random.number();
  if (kind < 0.3) {
    mkdirSync(at);
    directories.push(at);
  } else if (kind < 0.4 && links.length < MAX_LINKS) {
    links.push(at);
    symlinkSync(random.chance(0.2) ? '/etc/hostname' : random.chance(0.2) ? '..' : random.pick([...directories, ...entries]), at);
  } else {
    writeFileSync(at, randomFile(random));
  }
}

const under = (directory: Buffer, name: string): Buffer => Buffer.concat([directory, Buffer.from(`/${name}`)]);
const rules = (random: Random): string => Array.from({ length: 1 + random.integer(4) }, () => random.pick(RULES)).join(random.chance(0.1) ? '\r\n' : '\n');

/** A file of a few lines: bytes that are not UTF-8, NUL, CR, no last line end, byte order marks. */
export function randomFile(random: Random): Buffer {
  const lines = random.integer(7);
  const parts: Buffer[] = [];
  for (let line = 0; line < lines; line += 1) {
    for (let count = random.integer(6); count > 0; count -= 1) parts.push(random.pick(BYTES));
    if (line < lines - 1 || random.chance(0.7)) parts.push(Buffer.from(random.chance(0.1) ? '\r\n' : '\n'));
  }
  return marked(random, Buffer.concat(parts));
}

/** Both backends read UTF-16 with a mark. What begins with NUL, or is a mark and nothing else, they read differently. */
function marked(random: Random, plain: Buffer): Buffer {
  const mark = random.integer(24);
  if (mark === 0) return Buffer.concat([Buffer.from('\ufeff'), plain]);
  if (mark > 2 || plain.length === 0 || plain[0] === 0) return plain;
  const units = Buffer.from(plain.toString(), 'utf16le');
  return mark === 1 ? Buffer.concat([Buffer.from([0xff, 0xfe]), units]) : Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(units).swap16()]);
}

export function randomText(random: Random): string {
  return Array.from({ length: 1 + random.integer(3) }, () => random.pick(ATOMS)).join('');
}
