import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { blocksOf } from '../../../../scripts/docs/blocks.ts';
import { pages } from '../../../../scripts/docs/tree.ts';
import { forgottenBlocks, STAYS } from '../../../chaos/docs/fates.ts';

const all = pages(packageRoot()).flatMap(({ file, text }) => blocksOf(text).map((block) => ({ file, block })));

describe('blocks of pages', () => {
  it('are typed by npm run docs:check where they are for a shell, or excused', () => {
    expect(forgottenBlocks(all)).toEqual([]);
  });

  it('are missed where their page is in no stay', () => {
    const [block] = blocksOf('```sh\nnpm start\n```\n');
    if (block === undefined) throw new Error('the sample has no block');
    expect(forgottenBlocks([{ file: 'docs/new.md', block }])).toEqual([expect.stringContaining('docs/new.md:2: nobody types this block')]);
  });

  it('belong to pages that there are', () => {
    const known = new Set(all.map(({ file }) => file));
    expect(STAYS.flatMap((stay) => stay.pages).filter((page) => !known.has(page))).toEqual([]);
  });
});
