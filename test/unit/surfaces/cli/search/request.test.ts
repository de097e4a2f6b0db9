import { describe, expect, it } from 'vitest';
import { searchBaseOf } from '../../../../../src/surfaces/cli/search/request.ts';

describe('where a search starts, and how its paths are shown', () => {
  const real = (path: string): string => (path === '/w/d/link/../x' ? '/real/x' : path);
  it.each<[string | undefined, string, string | undefined, [string, string, string][]]>([
    [undefined, '/w/d', undefined, [['a/b', '.', 'a/b']]],
    ['.', '/w/d', undefined, [['a/b', '.', './a/b']]],
    ['./', '/w/d', undefined, [['a/b', '.', './a/b']]],
    ['src', '/w/d', 'src', [['src/a', 'src', 'src/a']]],
    ['src/', '/w/d', 'src', [['src/a', 'src', 'src/a']]],
    ['./src//deep/.', '/w/d', 'src/deep', [['src/deep/a', 'src/deep', './src/deep/a']]],
    ['..', '/w', undefined, [['d/a', '.', '../d/a']]],
    ['../src', '/w', 'src', [['src/a', 'src', '../src/a']]],
    ['../../x', '/', 'x', [['x', 'x', '../../x']]],
    ['../../../x', '/', 'x', [['x', 'x', '../../../x']]],
    ['/srv/src', '/w/d', '/srv/src', [['a/b', '.', '/srv/src/a/b']]],
    ['/srv/src/', '/w/d', '/srv/src/', [['a/b', '.', '/srv/src/a/b']]],
    ['/srv/a.txt', '/w/d', '/srv/a.txt', [['a.txt', 'a.txt', '/srv/a.txt']]],
    [
      'sub/link',
      '/w/d',
      'sub/link',
      [
        ['passwd', 'passwd', 'sub/link'],
        ['a/b', '.', 'sub/link/a/b'],
        ['other/a', 'other', 'sub/link/a'],
        ['other: Permission denied', 'other', 'sub/link: Permission denied'],
      ],
    ],
    ['./link/', '/w/d', 'link', [['x/a', 'x', './link/a']]],
    ['../link', '/w', 'link', [['a', '.', '../link/a']]],
    ['/srv/link/', '/w/d', '/srv/link/', [['x/y', 'x', '/srv/link/y']]],
    [
      'link/../x',
      '/w/d',
      '/real/x',
      [
        ['a', '.', 'link/../x/a'],
        ['x', 'x', 'link/../x'],
      ],
    ],
  ])('%s starts in %s with the path %s', (typed, workingDirectory, path, shown) => {
    const place = searchBaseOf(typed, '/w/d', real);
    expect({ workingDirectory: place.workingDirectory, path: place.path }).toEqual({ workingDirectory, path });
    for (const [eventPath, answerPath, text] of shown) expect(place.shown(eventPath, answerPath)).toBe(text);
  });
});
