import { describe, expect, it } from 'vitest';
import type { TreeEnd, TreeSource } from '../../../../../src/core/ports/tree-source.ts';
import { createFilesScan } from '../../../../../src/executors/search/files/scan.ts';

/** A tree in memory: path of each directory with its files, in the order of the visits. */
function treeOf(directories: readonly (readonly [string, readonly string[]])[], end: TreeEnd = { ok: true }): TreeSource {
  return {
    walk(_root, visitor) {
      for (const [path, names] of directories) {
        visitor.enter({ path: () => path, textOf: (block, start, to) => Buffer.from(block).toString('utf8', start, to) });
        for (const name of names) {
          const block = Buffer.from(`<${name}>`);
          visitor.file(block, 1, block.length - 1);
        }
      }
      return end;
    },
  };
}

const search = (tree: TreeSource, query: string, maxResults = 1000) => createFilesScan(tree)({ kind: 'files', path: '/x' }, { query, maxResults });

describe('the scan of file names', () => {
  it('answers id, field and snippet of each match', { tags: ['SE-50', 'SE-51', 'SE-52'] }, async () => {
    expect(await search(treeOf([['a/b/', ['report.txt', 'other']]]), 'port')).toEqual({
      count: 1,
      hits: [{ id: 'a/b/report.txt', match_field: 'filename', match_snippet: 'report.txt' }],
    });
  });

  it('cuts the snippet around the first match in the name', { tags: ['SE-53', 'SE-54'] }, async () => {
    const name = `${'a'.repeat(120)}q${'b'.repeat(60)}q${'c'.repeat(60)}`;
    const [hit] = (await search(treeOf([['', [name]]]), 'q')).hits;
    expect(hit?.match_snippet).toBe(name.slice(20, 220));
  });

  it('looks at the name only, not at the directory', { tags: ['SE-37'] }, async () => {
    expect(await search(treeOf([['needle/', ['hay']]]), 'needle')).toEqual({ count: 0, hits: [] });
    expect(await search(treeOf([['a/', ['b']]]), 'a/b')).toEqual({ count: 0, hits: [] });
  });

  it('is case-sensitive and takes every character as itself', { tags: ['SE-28', 'SE-29', 'SE-30'] }, async () => {
    const tree = treeOf([['', ['a.b', 'axb', 'A.B', 'a*', 'a[b]', 'ab\\']]]);
    const ids = async (query: string) => (await search(tree, query)).hits.map(({ id }) => id);
    expect(await ids('a.b')).toEqual(['a.b']);
    expect(await ids('A.B')).toEqual(['A.B']);
    expect(await ids('A')).toEqual(['A.B']);
    expect(await ids('*')).toEqual(['a*']);
    expect(await ids('[b]')).toEqual(['a[b]']);
    expect(await ids('\\')).toEqual(['ab\\']);
  });

  it('counts what it leaves out, whatever the order of the visits', { tags: ['SE-41', 'SE-59'] }, async () => {
    const directories = [...'gcabfed'].map((name) => [`${name}/`, ['2e', '1e', 'x']] as const);
    for (const tree of [treeOf(directories), treeOf(directories.toReversed())]) {
      expect(await search(tree, 'e', 3)).toEqual({
        count: 14,
        hits: ['a/1e', 'a/2e', 'b/1e'].map((id) => ({ id, match_field: 'filename', match_snippet: id.slice(2) })),
      });
    }
  });

  it('gives one hit for a file that was seen twice', { tags: ['SE-50'] }, async () => {
    const found = await search(treeOf([['', ['a', 'b', 'a']]]), 'a');
    expect(found).toEqual({ count: 1, hits: [{ id: 'a', match_field: 'filename', match_snippet: 'a' }] });
  });

  it.each([
    ['unavailable', '.', 'ENOENT', 'SCOPE_UNAVAILABLE', 'the directory of this scope cannot be searched: it does not exist'],
    ['failed', 'a/b', 'EIO', 'EXECUTION_FAILED', '"a/b" in the directory of this scope cannot be read: EIO'],
    ['exhausted', 'a', 'EMFILE', 'RESOURCE_EXHAUSTED', '"a" in the directory of this scope cannot be read: EMFILE'],
    ['failed', 'a\nb', 'EACCES', 'EXECUTION_FAILED', '"a\\nb" in the directory of this scope cannot be read: this account may not read it'],
  ] as const)(
    'a walk that ends %s at %j by %s is %s, without a partial result',
    { tags: ['SE-67', 'SE-68', 'SE-69'] },
    async (refusal, path, errno, code, message) => {
      await expect(search(treeOf([['', ['hit']]], { ok: false, refusal, path, errno }), 'hit')).rejects.toMatchObject({ name: 'ScanError', code, message });
    },
  );

  it('shows no more than 200 characters of a path, none of them cut in two', async () => {
    const end: TreeEnd = { ok: false, refusal: 'failed', path: '\u{1f600}'.repeat(5000), errno: 'EIO' };
    const error: unknown = await search(treeOf([], end), 'a').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: `"${'\u{1f600}'.repeat(200)}"… in the directory of this scope cannot be read: EIO` });
  });
});
