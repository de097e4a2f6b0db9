import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyReader } from '../../../../src/surfaces/tui/input.ts';

/** Names of the keys (typed text as `'text'`) in pieces as they come; the end of the list is a pause. */
function read(...pieces: readonly string[]): string[] {
  const keys: string[] = [];
  const reader = createKeyReader(({ key, typed }) => keys.push(typed === '' ? key : `'${typed}'`));
  for (const piece of pieces) reader.feed(piece);
  reader.pause();
  return keys;
}

describe('keys of a terminal', () => {
  it('come one by one out of one piece', () => {
    expect(read('ab\rj\t\x1b[A\x1bOB\x1b[1;5C\x1b[6~\x1b[Z\x7f\x15é👩‍💻')).toEqual([
      "'a'",
      "'b'",
      'enter',
      "'j'",
      'tab',
      'up',
      'down',
      'right',
      'pagedown',
      'shift+tab',
      'backspace',
      'ctrl+u',
      "'é'",
      "'👩‍💻'",
    ]);
  });

  it("are told apart from clicks and the wheel, of which letting go and modifiers are nobody's business here", () => {
    const found: unknown[] = [];
    const reader = createKeyReader(
      ({ key }) => found.push(key),
      ({ kind, column, line }) => found.push([kind, column, line]),
    );
    reader.feed('a\x1b[<0;12;3M\x1b[<0;12;3m\x1b[<64;1;1M\x1b[<65;200;50M\x1b[<4;1;1M\x1b[<2;1;1M\x1b[<0;5');
    reader.feed(';6Mb');
    expect(found).toEqual(['a', ['click', 11, 2], ['wheelUp', 0, 0], ['wheelDown', 199, 49], ['click', 4, 5], 'b']);
  });

  it('come out of line ends of every kind', () => {
    expect(read('\r\n\n\r')).toEqual(['enter', 'enter', 'enter', 'enter']);
  });

  it('come whole out of several pieces', () => {
    expect(read('\x1b', '[', 'A', '\x1b[5', '~')).toEqual(['up', 'pageup']);
  });

  it('tells the Escape key from the beginning of another', () => {
    expect(read('\x1b')).toEqual(['escape']);
    expect(read('\x1b\x1b')).toEqual(['escape', 'escape']);
    expect(read('a\x1b[')[0]).toBe("'a'");
  });

  it('takes pasted text as text, lines and all', () => {
    expect(read('x\x1b[200~one\rq', '\x1b[Atwo\x1b[201~\r')).toEqual(["'x'", "'one\rq\x1b[Atwo'", 'enter']);
  });

  it('ignores keys that it does not know, and letters with Alt', () => {
    expect(read('\x1b[15~\x1bq\x1b[<0;1;2Ma')).toEqual(["'a'"]);
  });

  it('never stops and never throws, whatever comes in whatever pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\x1b', '\x1b[', '\x1b[200~', '\x1b[201~', 'O', '~'))), (pieces) => {
        read(...pieces);
      }),
      { numRuns: 100 },
    );
  });
});
