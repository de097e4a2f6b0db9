import { describe, expect, it } from 'vitest';
import { cells } from '../../../../../src/surfaces/tui/text/cells.ts';

describe('text on the screen', () => {
  it.each([
    ['abc', 3],
    ['Übersetzung', 11],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍💻', 2],
    ['⚠', 1],
  ])('takes as many columns as the terminal gives %s', (text, columns) => {
    expect(cells(text)).toBe(columns);
  });
});
