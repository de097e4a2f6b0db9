import { describe, expect, it } from 'vitest';
import { createNodes } from '../../../../../src/content-search/ngram-index/watch/nodes.ts';

function planted() {
  const nodes = createNodes();
  const unused: number[] = [];
  for (const [path, watch] of [
    ['', 1],
    ['a', 2],
    ['a/b', 3],
    ['ab', 4],
  ] as const) {
    expect(nodes.place(path, watch, unused)).toBe(true);
  }
  expect(unused).toEqual([]);
  return nodes;
}

describe('the watched directories', () => {
  it('go with everything beneath them, and with nothing else', () => {
    const nodes = planted();
    expect([...nodes.leave('a')].sort()).toEqual([2, 3]);
    expect(nodes.size).toBe(2);
    expect(nodes.pathsOf(3)).toEqual([]);
    expect(nodes.pathsOf(4)).toEqual(['ab']);
    expect(nodes.leave('a')).toEqual([]);
  });

  it('keep a watch that stands for another path too', () => {
    const nodes = planted();
    nodes.place('ab/b', 3, []);
    expect(nodes.pathsOf(3)).toEqual(['a/b', 'ab/b']);
    expect(nodes.leave('a')).toEqual([2]);
    expect(nodes.pathsOf(3)).toEqual(['ab/b']);
  });

  it('give up the old watches where another directory has taken the place', () => {
    const nodes = planted();
    const unused: number[] = [];
    expect(nodes.place('a', 9, unused)).toBe(true);
    expect(unused.sort()).toEqual([2, 3]);
    expect(nodes.pathsOf(9)).toEqual(['a']);
    expect(nodes.size).toBe(3);
  });

  it('take none of which the directory above is unknown', () => {
    const nodes = planted();
    const unused: number[] = [];
    expect(nodes.place('gone/x', 9, unused)).toBe(false);
    expect(unused).toEqual([9]);
    expect(nodes.place('gone/x', 4, [])).toBe(false);
    expect(nodes.pathsOf(4)).toEqual(['ab']);
  });
});
