import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { walkTree } from '../../src/content-search/ngram-index/build/indexed-tree.ts';
import type { BuildSite } from '../../src/content-search/ngram-index/build/site.ts';
import { checkSnapshot } from '../../src/content-search/ngram-index/query/check.ts';
import { liveDocuments } from '../../src/content-search/ngram-index/query/live.ts';
import { openSnapshot, type Snapshot } from '../../src/content-search/ngram-index/query/snapshot.ts';
import { DOCUMENT_FLAG, isSpecial } from '../../src/content-search/ngram-index/segment/format.ts';
import { gramsOf } from '../../src/content-search/ngram-index/tokenize/trigrams.ts';
import type { OverlayEntry } from '../../src/core/ports/index.ts';
import { buildSite, doJob, indexedTree } from '../support/content/building.ts';
import { plantTree, randomFile } from '../support/content/random-tree.ts';
import { createRandom, type Random } from '../support/random.ts';

/** By path, one character for each byte: the n-grams of a document in hexadecimal, or 'always'. */
type Contents = Map<string, readonly string[] | 'always'>;

const hex = (text: string): string => Buffer.from(text).toString('hex');
const byteText = (path: Buffer | string): string => (typeof path === 'string' ? Buffer.from(path) : path).toString('latin1');

/** What the index says, read list by list. */
function indexed(snapshot: Snapshot): Contents {
  const grams = snapshot.segments.map(({ reader }) => {
    const byDocument = new Map<number, string[]>();
    for (const { trigram, posting } of reader.postings()) {
      if (isSpecial(trigram)) continue;
      for (const id of posting.documents()) byDocument.set(id, [...(byDocument.get(id) ?? []), trigram.toString('hex')]);
    }
    return byDocument;
  });
  const always = DOCUMENT_FLAG.always;
  return new Map(
    Array.from(liveDocuments(snapshot), ({ segment, id, document }) => [
      byteText(document.path),
      (document.flags & always) === 0 ? (grams[segment]?.get(id) ?? []) : ('always' as const),
    ]),
  );
}

/** What must be in it, by definition. */
function defined({ tree, indexed: settings }: BuildSite): Contents {
  const contents: Contents = new Map();
  const walk = walkTree(tree, settings);
  for (let piece = walk.next(10); piece.length > 0; piece = walk.next(10)) {
    for (const { text, raw } of piece) {
      const path = raw ?? Buffer.from(text);
      const bytes = readFileSync(Buffer.concat([Buffer.from(`${settings.root}/`), path]));
      contents.set(byteText(path), path.includes(0x0a) ? 'always' : gramsByDefinition(bytes, settings.ngramK));
    }
  }
  return contents;
}

/** The same for a file of one window and of many. */
function gramsByDefinition(bytes: Buffer, k: number): readonly string[] | 'always' {
  const text = bytes.toString('utf8');
  const characters = Array.from(text);
  const isMarked = ['efbbbf', 'fffe', 'feff'].some((mark) => bytes.toString('hex').startsWith(mark));
  const isBinary = characters.filter((character) => character === '\ufffd').length * 2 > characters.length;
  const lines = text.replaceAll('\r\n', '\n');
  const grams = gramsOf(lines, k);
  if (isMarked || isBinary || text.normalize('NFC') !== text || grams.length === 0) return 'always';
  return grams.map(hex).sort();
}

/** Changes something of the tree, and tells what a watch would tell of it. */
const CHANGES: readonly ((random: Random, root: Buffer, directories: readonly string[], files: readonly string[]) => OverlayEntry[])[] = [
  (random, root, directories) => {
    const path = within(random.pick(directories), `new${random.integer(9)}`);
    if (!existsSync(at(root, path))) writeFileSync(at(root, path), randomFile(random));
    return [entry(path, 'FILE')];
  },
  (random, root, _, files) => {
    if (files.length === 0) return [];
    const path = random.pick(files);
    appendFileSync(at(root, path), `more ${random.integer(100)}`);
    return [entry(path, 'FILE')];
  },
  (random, root, _, files) => {
    if (files.length === 0) return [];
    const path = random.pick(files);
    rmSync(at(root, path));
    return [entry(path, 'FILE')];
  },
  (random, root, directories) => {
    const path = random.pick(directories);
    if (path === '') return [];
    const to = within(random.pick(directories), `moved${random.integer(99)}`);
    if (`${to}/`.startsWith(`${path}/`) || existsSync(at(root, to))) return [];
    renameSync(at(root, path), at(root, to));
    return [entry(path, 'SUBTREE'), entry(to, 'SUBTREE')];
  },
  (random, root, directories) => {
    const path = within(random.pick(directories), `dir${random.integer(9)}`);
    if (existsSync(at(root, path))) return [];
    mkdirSync(at(root, path));
    writeFileSync(at(root, `${path}/in`), randomFile(random));
    return [entry(path, 'SUBTREE')];
  },
];

const entry = (path: string, kind: OverlayEntry['kind']): OverlayEntry => ({ path, kind, seq: 1 });
const within = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`);
const at = (root: Buffer, path: string): Buffer => Buffer.concat([root, Buffer.from('/'), Buffer.from(path, 'latin1')]);

/** Files of the index, and directories that have such files somewhere beneath them. */
function placesOf(contents: Contents): { readonly files: readonly string[]; readonly directories: readonly string[] } {
  const files = [...contents.keys()];
  const parents = files.flatMap((path) => path.split('/').map((_, depth, names) => names.slice(0, depth).join('/')));
  return { files: files.filter((path) => !/(^|\/)\.(gitignore|ignore)$/.test(path)), directories: [...new Set(['', ...parents])] };
}

describe('an index that follows a tree', () => {
  it('has exactly the files of the walk, each with its n-grams by definition, after a build and any updates and validations', {
    tags: ['FR-LSI-BG-20.3'],
  }, () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const random = createRandom(seed);
      const root = mkdtempSync(`${tmpdir()}/writ-builder-`);
      try {
        plantTree(random, root);
        follow(random, root, `seed ${seed}`);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }
  });
});

function follow(random: Random, root: string, what: string): void {
  const settings = indexedTree(root, { ngramK: random.pick([1, 2, 3, 3, 3, 4]), maxTokenizedBytes: random.pick([4, 40, 4096]), hidden: random.chance(0.7) });
  const site = buildSite(root, { indexed: settings, maxRunBytes: random.pick([100, 5000]) });
  expect(doJob(site, { kind: 'build', into: { generation: 1, delta: 0 } }), what).toMatchObject({ outcome: 'done' });
  const deltas: number[] = [];
  for (let step = 0; step < 4; step += 1) {
    const contents = look(site, deltas, `${what}, step ${step}`);
    const { files, directories } = placesOf(contents);
    const entries = Array.from({ length: 1 + random.integer(4) }, () => {
      const alive = files.filter((path) => existsSync(at(Buffer.from(root), path)));
      const open = directories.filter((path) => existsSync(at(Buffer.from(root), path)));
      return random.pick(CHANGES)(random, Buffer.from(root), open, alive);
    }).flat();
    const [snapshot, into] = [
      { generation: 1, deltas: [...deltas] },
      { generation: 1, delta: step + 1 },
    ];
    const { outcome } = random.chance(0.5) ? doJob(site, { kind: 'update', snapshot, entries, into }) : doJob(site, { kind: 'validate', snapshot, into });
    expect(['done', 'nothing'], what).toContain(outcome);
    if (outcome === 'done') deltas.push(step + 1);
  }
  look(site, deltas, what);
  const merged = doJob(site, { kind: 'merge', snapshot: { generation: 1, deltas }, from: 0, into: { generation: 2, delta: 0 } });
  expect(merged, what).toMatchObject({ outcome: 'done' });
}

function look(site: BuildSite, deltas: readonly number[], what: string): Contents {
  const opened = openSnapshot(site.index, { generation: 1, deltas }, site, site.hasher);
  if (!opened.ok) throw new Error(opened.message);
  const found = indexed(opened.snapshot);
  expect(
    checkSnapshot(opened.snapshot, () => false),
    what,
  ).toEqual([]);
  opened.snapshot.close();
  expect(found, what).toEqual(defined(site));
  expect([...found.keys()], what).toEqual([...defined(site).keys()]);
  return found;
}
