import { describe, expect, it } from 'vitest';
import type { ContentSearchRequest } from '../../../../../src/contracts/index.ts';
import { literalPieces } from '../../../../../src/surfaces/cli/search/literal.ts';

describe('the text that a pattern stands for', () => {
  it.each<[ContentSearchRequest, string, readonly string[]]>([
    [{ pattern: 'ab' }, 'xAbx', ['x', 'Ab', 'x']],
    [{ pattern: 'Ab' }, 'ab Ab', ['ab ', 'Ab', '']],
    [{ pattern: 'ab', case: 'sensitive' }, 'Ab ab', ['Ab ', 'ab', '']],
    [{ pattern: 'AB', case: 'insensitive' }, 'ab', ['', 'ab', '']],
    [{ pattern: 'a.b', fixed_strings: true }, 'a.b axb', ['', 'a.b', ' axb']],
    [{ pattern: 'a.b' }, 'a.b', ['a.b']],
    [{ pattern: 'ab', fuzzy: 1 }, 'ab', ['ab']],
    [{ pattern: '(a)+$^[]{}|?*\\', fixed_strings: true }, 'x(a)+$^[]{}|?*\\y', ['x', '(a)+$^[]{}|?*\\', 'y']],
  ])('%o in %j is %j', (request, line, pieces) => {
    expect(literalPieces(request)(line)).toEqual(pieces);
  });
});
