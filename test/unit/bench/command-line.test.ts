import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../bench/command-line.ts';

const known = ['file', 'search-executor'];

describe('the command line of the benchmarks', () => {
  it('takes a suite, and options before or behind it', () => {
    const { options, ...rest } = parseCommandLine(['--scale', '0.01', 'search-executor', '--json', '--keep', '--data', '/srv/bench'], known);
    expect(rest).toEqual({ name: 'search-executor', json: true, fault: undefined });
    expect(options).toEqual({ data: '/srv/bench', keep: true, scale: 0.01 });
  });

  it('is the real size with nothing kept unless it says otherwise', () => {
    expect(parseCommandLine(['file'], known)).toEqual({ name: 'file', json: false, options: { data: undefined, keep: false, scale: 1 }, fault: undefined });
  });

  it.each([
    [[], 'say which suite; known: file, search-executor'],
    [['toString'], 'unknown suite toString; known: file, search-executor'],
    [['file', 'api'], 'one suite at a time'],
    [['file', '--scale', '0'], '--scale is above 0'],
    [['file', '--scale', '2'], '--scale is above 0'],
    [['file', '--scale', 'x'], '--scale is above 0'],
    [['file', '--what'], '--what'],
  ])('refuses %j', (words, fault) => {
    expect(parseCommandLine(words, known).fault).toContain(fault);
  });
});
