import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeOnSecondFilesystem } from '../support/mounts.ts';
import { cases } from '../support/oracle-runs.ts';
import { LEVELS, searchFiles } from '../support/search-files.ts';

/** What stands at a path; a link points to its target as it is. */
type Entry =
  | { readonly at: readonly Buffer[]; readonly kind: 'file' | 'directory' }
  | { readonly at: readonly Buffer[]; readonly kind: 'link'; readonly target: string };

/** Parts of hostile names: the neighbours of surrogates, halves of characters, Writ's own, what sorts around `/`. */
const PARTS = [
  'a',
  'e',
  'A',
  '.',
  '-',
  '0',
  ' ',
  '\n',
  '\r',
  '\x01',
  '\x7f',
  '*',
  '[',
  '\\',
  '\u00e9',
  'e\u0301',
  '\ud7ff',
  '\ue000',
  '\uff5e',
  '\ufeff',
  '\u{1f600}',
  '\u{10ffff}',
  '.writ-',
  '.WRIT-x',
];
const BROKEN = ['\xff', '\xc3', '\xed\xa0\x80', '\xf0\x9f'];

const part = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...PARTS.map((text) => Buffer.from(text))) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN.map((text) => Buffer.from(text, 'latin1'))) },
);
const name = fc
  .array(part, { minLength: 1, maxLength: 6 })
  .map((parts) => Buffer.concat(parts))
  .filter((bytes) => !['.', '..'].includes(bytes.toString('latin1')));
const at = fc.array(name, { minLength: 1, maxLength: 4 });
const entry: fc.Arbitrary<Entry> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ at, kind: fc.constant('file' as const) }) },
  { weight: 2, arbitrary: fc.record({ at, kind: fc.constant('directory' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ at, kind: fc.constant('link' as const), target: fc.constantFrom('.', '..', '../..', 'a', 'nowhere', '/usr/share', '/etc/passwd') }),
  },
);
/** Twelve directories in which most entries gather, so that there are some with more than one. */
const tree = fc
  .tuple(fc.array(at, { minLength: 1, maxLength: 12 }), fc.array(fc.tuple(entry, fc.nat()), { maxLength: 40 }))
  .map(([homes, entries]) =>
    entries.map(([one, home]) => (home % 3 === 0 ? one : { ...one, at: [...(homes[home % homes.length] ?? []), ...one.at.slice(-1)] })),
  );
const query = fc.oneof(
  fc.constantFrom(...PARTS),
  fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
);

/** Makes what can be made: an entry whose name is taken is left out. */
function plant(root: string, entries: readonly Entry[]): void {
  for (const one of entries) {
    const place = Buffer.from([root, ...one.at.map((bytes) => bytes.toString('latin1'))].join('/'), 'latin1');
    try {
      mkdirSync(place.subarray(0, place.lastIndexOf('/')), { recursive: true });
      if (one.kind === 'link') symlinkSync(one.target, place);
      else if (one.kind === 'directory') mkdirSync(place);
      else writeFileSync(place, '', { flag: 'wx' });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && ['EEXIST', 'ENOTDIR', 'ENOENT', 'ELOOP', 'EISDIR', 'ENAMETOOLONG'].includes(String(error.code))))
        throw error;
    }
  }
}

/** All paths of regular files, as find(1) and the order of bytes see them. */
function filesByFind(root: string): Buffer[] {
  const output = execFileSync('find', [root, '-xdev', '-type', 'f', '-printf', '%P\\0'], { maxBuffer: 1 << 26 });
  const paths: Buffer[] = [];
  for (let from = 0; from < output.length; ) {
    const to = output.indexOf(0, from);
    paths.push(output.subarray(from, to));
    from = to + 1;
  }
  return paths.toSorted(Buffer.compare);
}

/** What the specification wants of these files. */
function expected(files: readonly Buffer[], text: string): string[] {
  return files
    .filter((file) => isUtf8(file))
    .map((file) => file.toString('utf8'))
    .filter((file) => !file.split('/').some((component) => component.toLowerCase().startsWith('.writ-')))
    .filter((file) => path.posix.basename(file).includes(text));
}

async function inDirectory<T>(action: (directory: string) => Promise<T>): Promise<T> {
  const directory = makeOnSecondFilesystem('writ-search-property-');
  try {
    return await action(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('a search of file names', () => {
  it('finds what find finds, in the order of bytes', { tags: ['SE-29', 'SE-37', 'SE-38', 'SE-39', 'SE-41', 'SE-71'] }, async () => {
    await fc.assert(
      fc.asyncProperty(tree, fc.array(query, { minLength: 3, maxLength: 3 }), fc.integer({ min: 1, max: 20 }), (entries, queries, max) =>
        inDirectory(async (root) => {
          plant(root, entries);
          const files = filesByFind(root);
          for (const level of LEVELS) {
            for (const text of queries) {
              const ids = expected(files, text);
              const found = await searchFiles(level, root, text, max);
              expect({ count: found.count, ids: found.hits.map(({ id }) => id) }).toEqual({ count: ids.length, ids: ids.slice(0, max) });
              for (const { id, match_snippet } of found.hits) expect(path.posix.basename(id)).toBe(match_snippet);
            }
          }
        }),
      ),
      { numRuns: cases(80) },
    );
  });

  it('answers the same bytes whatever the order in which the files were made', { tags: ['SE-02', 'SE-61', 'SE-71'] }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(at, { minLength: 20, maxLength: 60, selector: (names) => Buffer.concat(names).toString('latin1') }),
        fc.infiniteStream(fc.double({ noNaN: true })),
        (places, random) =>
          inDirectory(async (root) => {
            // One level, so that no file can take the place of another's directory.
            const entries: Entry[] = places.map(([first], i) => ({
              at: [Buffer.from(`d${i % 7}`), first ?? Buffer.from('e')],
              kind: 'file',
            }));
            const shuffled = entries
              .map((one) => ({ one, key: random.next().value }))
              .toSorted((a, b) => a.key - b.key)
              .map(({ one }) => one);
            const [there, here] = [path.join(root, 'there'), path.join(root, 'here')];
            plant(there, entries);
            plant(here, shuffled);
            for (const max of [5, 1000])
              expect(JSON.stringify(await searchFiles('openat2', there, 'e', max))).toBe(JSON.stringify(await searchFiles('openat2', here, 'e', max)));
          }),
      ),
      { numRuns: cases(40) },
    );
  });
});
