import { describe, expect, it } from 'vitest';
import type { ContentSearchEvent } from '../../../../../src/contracts/index.ts';
import { literalPieces } from '../../../../../src/surfaces/cli/search/literal.ts';
import { COLOURED, type Look, PLAIN, renderEvents } from '../../../../../src/surfaces/cli/search/render.ts';
import { printableLine } from '../../../../../src/surfaces/cli/text/values.ts';

const event = (path: string, line_number: number, text: string, type: ContentSearchEvent['type'] = 'match'): ContentSearchEvent => ({
  type,
  data: { path: { text: path }, line_number, lines: { text } },
});

describe('matches on a terminal', () => {
  const look = (changes: Partial<Look> = {}): Look => ({
    paint: PLAIN,
    terminal: true,
    context: false,
    shownPath: (path) => path,
    pieces: (line) => [line],
    ...changes,
  });
  const lines = (events: readonly ContentSearchEvent[], changes?: Partial<Look>) => [...renderEvents(events, look(changes))];

  it('stand under the name of their file, with line numbers', () => {
    expect(lines([event('a', 1, 'x'), event('a', 9, 'y'), event('b', 2, 'z')])).toEqual(['a', '1:x', '9:y', '', 'b', '2:z']);
  });

  it('mark context lines, and gaps where there is context', () => {
    const events = [event('a', 1, 'x'), event('a', 2, 'y', 'context'), event('a', 8, 'z'), event('b', 9, 'w')];
    expect(lines(events, { context: true })).toEqual(['a', '1:x', '2-y', '--', '8:z', '', 'b', '9:w']);
    expect(lines(events, { context: true, terminal: false })).toEqual(['a:1:x', 'a-2-y', '--', 'a:8:z', '--', 'b:9:w']);
  });

  it('are coloured: path, line number, and the text itself where it can be found', () => {
    expect(lines([event('a', 1, 'one x one X')], { paint: COLOURED, pieces: literalPieces({ pattern: 'x', fixed_strings: true }) })).toEqual([
      '\u001b[35ma\u001b[0m',
      '\u001b[32m1\u001b[0m:one \u001b[1;31mx\u001b[0m one \u001b[1;31mX\u001b[0m',
    ]);
  });

  it('hold no control character of a name or a line, and no change of direction', () => {
    const [name, line] = lines([event('a\u001b]0;owned\u0007\n', 1, '\u001b[2Jx\r\u009b\u202e\ty\u2028')]);
    expect(name).toBe('a\\u001b]0;owned\\u0007\\u000a');
    expect(line).toBe('1:\\u001b[2Jx\\u000d\\u009b\\u202e\ty\\u2028');
    expect(printableLine('é 日本 👩‍👩‍👧')).toBe('é 日本 👩‍👩‍👧');
  });

  it('are lines as they are elsewhere, under names that hold no control character', () => {
    expect(lines([event('a\nb', 1, '\u001b[1mx')], { terminal: false })).toEqual(['a\\u000ab:1:\u001b[1mx']);
  });
});
