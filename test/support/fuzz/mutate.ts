import type { Random } from '../random.ts';
import { type Boundary, type OpenBoundary, parsed } from './boundary.ts';

const MOST_BYTES = 64 * 1024;
const MOST_CHANGES = 6;
const DEEP = 3000;

/** Numbers, texts and members that others have tripped over. */
const NASTY_NUMBERS = [0, -0, -1, 1, 0.1, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e21, 253402300800, 8.64e15 + 1];
const NASTY_TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  '__proto__',
  'constructor',
  'toString',
  '../',
  '/',
  '.',
  '..',
  '%00',
  'é',
  'e\u0301',
  '🦊',
  '\r\n',
  '\u2028',
  '"',
  "'",
  '\\',
  '{{',
  '}}',
  '$',
  '*',
  'null',
  'NaN',
  '-0',
  '1e999',
  'true',
  'x'.repeat(5000),
  '[',
  '('.repeat(300),
  'a'.repeat(260),
];
const NASTY_BYTES = [
  '\0',
  '\xff',
  '\xfe\xff',
  '\xef\xbb\xbf',
  '\r',
  '\n',
  '\r\n',
  '\x1b[31m',
  '\xc3',
  '\xed\xa0\x80',
  '\xf4\x90\x80\x80',
  '=?',
  '=?utf-8?b?',
  '--',
  '"',
  ',',
  '{',
  '}',
  '[',
  ']',
  ':',
].map((text) => Buffer.from(text, 'latin1'));

/** One case: a seed with a few changes. The same random makes the same case. */
export function mutated({ shape }: Pick<Boundary, 'shape'>, { seeds, words = [] }: OpenBoundary, random: Random): Buffer {
  const seed = random.pick(seeds);
  const bytes = Buffer.from(seed as Uint8Array);
  if (random.chance(0.02)) return bytes;
  // Few most of the time: what is still nearly valid goes furthest.
  const changes = random.chance(0.6) ? 1 : 1 + random.integer(MOST_CHANGES);
  let tree = shape === 'json' && random.chance(0.8) ? treeOf(bytes) : undefined;
  if (tree !== undefined) {
    for (let n = 0; n < changes; n += 1) tree = changedTree(tree, random, words, seeds);
    return Buffer.from(JSON.stringify(tree) ?? 'null');
  }
  let changed: Buffer = bytes;
  for (let n = 0; n < changes; n += 1) changed = changedBytes(changed, random, words, seeds);
  return changed.subarray(0, MOST_BYTES);
}

/** Each change is a row: what stands at a place becomes something else. */
const TREE_CHANGES: readonly ((value: unknown, random: Random, words: readonly string[], seeds: OpenBoundary['seeds']) => unknown)[] = [
  (_, random, words) => leaf(random, words),
  (_, random, words) => leaf(random, words),
  (value) => [value],
  (value) => ({ value }),
  (value) => (Array.isArray(value) ? [...value, ...value] : value),
  (value, random) => (Array.isArray(value) ? value.filter(() => random.chance(0.7)) : value),
  (value, random) => (isTree(value) ? Object.fromEntries(Object.entries(value).filter(() => random.chance(0.8))) : value),
  (value, random, words) =>
    isTree(value) ? withMember(value, words.length > 0 && random.chance(0.6) ? random.pick(words) : random.pick(NASTY_TEXTS), leaf(random, words)) : value,
  (value, random, words) => (typeof value === 'string' ? spliced(value, random, words) : value),
  (value, random) => (typeof value === 'number' ? value + random.pick([1, -1, 0.5, 1e9, -1e9]) : value),
  (_, random, __, seeds) => partOf(treeOf(random.pick(seeds)), random),
  (value, random) => (random.chance(0.05) ? nested(value, random.pick([40, 200, DEEP])) : value),
];

/** `undefined` where it is no document: a kept input need not be one. */
function treeOf(seed: string | Uint8Array): unknown {
  return parsed(Buffer.from(seed as Uint8Array));
}

function changedTree(tree: unknown, random: Random, words: readonly string[], seeds: OpenBoundary['seeds']): unknown {
  // Deeper places have more company: one level down, most of the time.
  if (isTree(tree) && Object.keys(tree).length > 0 && random.chance(0.88)) {
    const key = random.pick(Object.keys(tree));
    return withMember(tree, key, changedTree(Reflect.get(tree, key), random, words, seeds));
  }
  return random.pick(TREE_CHANGES)(tree, random, words, seeds);
}

function withMember(tree: object, key: string, value: unknown): unknown {
  const copy: object = Array.isArray(tree) ? [...tree] : { ...tree };
  // `__proto__` as a member of its own, as JSON.parse makes it.
  Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

function leaf(random: Random, words: readonly string[]): unknown {
  return random.pick([
    () => random.pick(NASTY_TEXTS),
    () => random.pick(NASTY_NUMBERS),
    () => null,
    () => true,
    () => [],
    () => ({}),
    () => (words.length === 0 ? '' : random.pick(words)),
  ])();
}

function partOf(tree: unknown, random: Random): unknown {
  return isTree(tree) && Object.keys(tree).length > 0 && random.chance(0.7) ? partOf(Reflect.get(tree, random.pick(Object.keys(tree))), random) : tree;
}

function nested(value: unknown, depth: number): unknown {
  let inner = value;
  for (let n = 0; n < depth; n += 1) inner = n % 2 === 0 ? [inner] : { inner };
  return inner;
}

function spliced(text: string, random: Random, words: readonly string[]): string {
  const at = random.integer(text.length + 1);
  const end = Math.min(text.length, at + random.integer(4));
  return text.slice(0, at) + random.pick([...NASTY_TEXTS, ...words]) + text.slice(end);
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const BYTE_CHANGES: readonly ((bytes: Buffer, at: number, random: Random, words: readonly string[], seeds: OpenBoundary['seeds']) => Buffer)[] = [
  (bytes, at, random) => replaced(bytes, at, 1, Buffer.from([random.integer(256)])),
  (bytes, at, random) => replaced(bytes, at, 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.integer(8))])),
  (bytes, at, random) => replaced(bytes, at, 0, random.pick(NASTY_BYTES)),
  (bytes, at, random) => replaced(bytes, at, 1 + random.integer(16), Buffer.alloc(0)),
  (bytes, at, random) => replaced(bytes, at, 0, bytes.subarray(at, at + 1 + random.integer(64))),
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at, random, words) => replaced(bytes, at, random.integer(4), Buffer.from(words.length === 0 ? random.pick(NASTY_TEXTS) : random.pick(words))),
  (bytes, at, random, words) => replaced(bytes, at, 0, Buffer.from(words.length === 0 ? random.pick(NASTY_TEXTS) : random.pick(words))),
  (bytes, at, random) => replaced(bytes, at, 4, Buffer.from(random.pick(['ffffffff', '00000000', '7fffffff', '80000000', '01000000']), 'hex')),
  (bytes, at, random, _, seeds) => {
    const other = Buffer.from(random.pick(seeds) as Uint8Array);
    const from = random.integer(other.length + 1);
    return replaced(bytes, at, random.integer(32), other.subarray(from, from + random.integer(256)));
  },
  (bytes, at, random) => replaced(bytes, at, 0, Buffer.alloc(random.pick([1, 100, 5000]), bytes[at] ?? 0x28)),
];

function changedBytes(bytes: Buffer, random: Random, words: readonly string[], seeds: OpenBoundary['seeds']): Buffer {
  return random.pick(BYTE_CHANGES)(bytes, random.integer(bytes.length + 1), random, words, seeds);
}

function replaced(bytes: Buffer, at: number, length: number, by: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]);
}
