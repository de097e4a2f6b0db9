import { describe, expect, it } from 'vitest';
import { withSimpleSigns } from '../../../../../src/surfaces/tui/text/simple-signs.ts';

describe('signs that terminals draw in different widths', () => {
  it.each([
    ['a family', '👩‍👩‍👧‍👦!', '👩👩👧👦!'],
    ['a woman at work, with a skin', '👩🏽‍💻', '👩💻'],
    ['a thumb with a skin', '👍🏿', '👍'],
    ['a flag of two letters', '🇩🇪🇫🇷', 'DEFR'],
    ['a flag made of tags', '🏴\u{e0067}\u{e0062}\u{e007f}', '🏴'],
    ['a flag that is joined', '🏳️‍🌈', '🏳🌈'],
    ['a sign in the presentation of pictures', '❤️ ⚠️', '❤ ⚠'],
    ['the cap of a key', '1️⃣', '1'],
  ])('are told in simple ones: %s', (_what, text, simple) => {
    expect(withSimpleSigns(text)).toBe(simple);
  });

  it.each(['plain', 'Übersetzung', 'क्\u200dष', 'می\u200cخواهم', '日本', '🙂'])('leave what is written otherwise as it is: %s', (text) => {
    expect(withSimpleSigns(text)).toBe(text);
  });
});
