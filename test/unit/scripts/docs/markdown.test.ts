import { describe, expect, it } from 'vitest';
import { anchorOf, parsePage } from '../../../../scripts/docs/markdown.ts';

describe('a page', () => {
  it('has the addresses that renderers give to its headings', () => {
    expect(anchorOf('D1. Moves, and `links`')).toBe('d1-moves-and-links');
    expect(anchorOf('Redis: a user for each role')).toBe('redis-a-user-for-each-role');
    expect(anchorOf('[file]')).toBe('file');
    expect([...parsePage('# One\n\n## Two words ##\n## Two words\n').anchors]).toEqual(['one', 'two-words', 'two-words-1']);
  });

  it('has the links of its prose, with their lines; code has none', () => {
    const page = [
      'See [a](a.md#x), ![b](b.png) and [c](<c.md> "title").',
      '[d]: d.md',
      '`[no](no.md)` and ``[no](`no.md)``',
      '```sh',
      '# no heading, [no](no.md)',
      '```',
      '[e](#e)',
    ].join('\n');
    expect(parsePage(page).links).toEqual([
      { line: 1, target: 'a.md#x' },
      { line: 1, target: 'b.png' },
      { line: 1, target: 'c.md' },
      { line: 2, target: 'd.md' },
      { line: 7, target: '#e' },
    ]);
    expect(parsePage(page).anchors.size).toBe(0);
  });
});
