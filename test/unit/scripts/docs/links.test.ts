import { describe, expect, it } from 'vitest';
import { brokenLinks, missingPages, missingPaths } from '../../../../scripts/docs/links.ts';

describe('links of pages', () => {
  const files = [
    { file: 'README.md', text: '[good](docs/a.md#first), [folder](docs/), [web](https://example.com/x.md), [gone](docs/gone.md)' },
    { file: 'docs/a.md', text: '# First\n\n[self](#first) [up](../README.md) [no heading](#second) [out](../../etc/passwd) [source](../src/x.ts#L3)' },
  ];
  const there = new Set(['README.md', 'docs', 'docs/a.md', 'src/x.ts']);

  it('lead to files, folders and headings that are there; those that do not are told with their line', () => {
    expect(brokenLinks(files, (file) => there.has(file))).toEqual([
      'README.md:1: docs/gone.md leads to no file',
      'docs/a.md:3: #second leads to no heading',
      'docs/a.md:3: ../../etc/passwd leads to no file',
    ]);
  });

  it('may be paths in code, but not those with a placeholder or in a block', () => {
    const text = 'a `src/x.ts`, `docs/` and `src/gone.ts`\n\n```\n`src/gone.ts`\n```\n`src/*.ts`, `src/<name>.ts`, `src/gone.ts:3`';
    expect(missingPaths([{ file: 'docs/a.md', text }], (file) => there.has(file))).toEqual(['docs/a.md:1: src/gone.ts is not there']);
  });

  it('are looked for in the words of sources, too', () => {
    const gone = ['docs', 'gone.md'].join('/');
    const text = `// see docs/a.md, ${gone} and ${gone}\n// not https://example.com/${gone}`;
    expect(missingPages([{ file: 'src/x.ts', text }], (file) => there.has(file))).toEqual([`src/x.ts names ${gone}, which is not there`]);
  });
});
