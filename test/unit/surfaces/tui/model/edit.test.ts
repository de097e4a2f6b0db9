import { describe, expect, it } from 'vitest';
import { EDITS, insert } from '../../../../../src/surfaces/tui/model/edit.ts';

describe('text on the screen', () => {
  it('moves and cuts by what a person calls a character', () => {
    const typed = insert({ text: '', caret: 0 }, 'a👩‍💻\u001b[31mb\n c');
    expect(typed.text).toBe('a👩‍💻[31mb c');
    const end = { text: 'a👩‍💻', caret: 'a👩‍💻'.length };
    expect(EDITS.backspace(end)).toEqual({ text: 'a', caret: 1 });
    expect(EDITS.left(end).caret).toBe(1);
    expect(EDITS.cutWord({ text: 'one two ', caret: 8 })).toEqual({ text: 'one ', caret: 4 });
  });
});
