import { describe, expect, it } from 'vitest';
import { complaintAbout, DIALECTS, fileComplaints, isSurelyAPattern, patternRefusal } from '../../../../src/content-search/backends/dialects.ts';
import type { BackendQuery } from '../../../../src/core/ports/index.ts';

const QUERY: BackendQuery = { pattern: '-x', fixedStrings: false, wordRegexp: false, ignoreCase: false, context: 0, fuzzy: 0, maxCount: 201 };

describe('the arguments of a backend', () => {
  it('are those of the query, with the pattern behind -e, so that it cannot be an option', { tags: ['FR-LSI-BE-01.1'] }, () => {
    const full = { ...QUERY, fixedStrings: true, wordRegexp: true, ignoreCase: true, context: 3, fuzzy: 2 };
    expect(DIALECTS.rg.options(QUERY).slice(-4)).toEqual(['-m', '201', '-e', '-x']);
    expect(DIALECTS.rg.options({ ...full, fuzzy: 0 }).slice(-9)).toEqual(['-F', '-i', '-w', '-C', '3', '-m', '201', '-e', '-x']);
    expect(DIALECTS.ugrep.options(full).slice(-10)).toEqual(['-F', '-Z2', '-i', '-w', '-C', '3', '-m', '201', '-e', '-x']);
  });

  it('keep both from reading settings and from writing colours', () => {
    expect(DIALECTS.rg.options(QUERY)).toEqual(expect.arrayContaining(['--no-config', '--color=never', '-j1', '-a', '-0', '-H', '-n', '--no-mmap']));
    expect(DIALECTS.ugrep.options(QUERY)).toEqual(expect.arrayContaining(['--color=never', '-J1', '-a', '-0', '-H', '-n', '--no-mmap', '-Y']));
  });
});

describe('what a backend says on stderr', () => {
  it('is found for a name with a line end, in the words of either', () => {
    const said = 'ugrep: warning: cannot read ./d/new\nline: Permission denied\n';
    expect(complaintAbout('d/new\nline', said)).toBe('Permission denied');
    expect(complaintAbout('d/new', said)).toBeUndefined();
    expect(complaintAbout('a\nb', 'rg: ./a\nb: Permission denied (os error 13)\n')).toBe('Permission denied');
    expect(complaintAbout('a\nb', 'rg: ./a\nb: IO error for operation on ./a\nb: No such file or directory (os error 2)\n')).toContain('No such');
  });

  it('names the files that it could not read', { tags: ['FR-LSI-EXIT-02'] }, () => {
    expect(fileComplaints('ugrep', 'ugrep: warning: ./a: b: No such file or directory\nother\n')).toEqual([
      { path: 'a: b', reason: 'No such file or directory' },
    ]);
    expect(
      fileComplaints(
        'rg',
        'rg: ./a (1): IO error for operation on ./a (1): No such file or directory (os error 2)\nrg: ./b: Permission denied (os error 13)\n./c: Is a directory (os error 21)\n',
      ),
    ).toEqual([
      { path: 'a (1)', reason: 'No such file or directory' },
      { path: 'b', reason: 'Permission denied' },
      { path: 'c', reason: 'Is a directory' },
    ]);
  });

  it('gives the reason why a pattern is refused, short and without a picture', { tags: ['FR-LSI-EXIT-02'] }, () => {
    expect(patternRefusal('ugrep', 'ugrep: error: error at position 5\n(?m)(\n     \\___mismatched ( )\n\n\n')).toBe('mismatched ( )');
    expect(patternRefusal('rg', 'rg: regex parse error:\n    (?:()\n    ^\nerror: unclosed group\n')).toBe('unclosed group');
    expect(patternRefusal('rg', 'rg: compiled regex exceeds size limit of 104857600\n')).toBe('compiled regex exceeds size limit of 104857600');
    expect(patternRefusal('rg', '')).toBe('no reason given');
    expect(patternRefusal('rg', 'x'.repeat(1000))).toHaveLength(200);
  });
});

describe('a pattern that no backend can refuse', () => {
  it.each([
    ['struct device', false, true],
    ['(', false, false],
    ['(', true, true],
    ['x'.repeat(5000), true, false],
    ['\\', false, false],
  ])('%s', (pattern, fixedStrings, expected) => {
    expect(isSurelyAPattern({ ...QUERY, pattern, fixedStrings })).toBe(expected);
  });
});
