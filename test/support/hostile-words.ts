import fc from 'fast-check';

/** Pieces of texts that mean much to FTS5, or nothing. */
export const HOSTILE_PART = fc.oneof(
  fc.constantFrom(
    'a*',
    'ab*',
    'plan',
    ' AND ',
    ' OR ',
    ' NOT ',
    '(',
    ')',
    '"',
    'a-b-c',
    '*',
    '+',
    '^',
    ':',
    '{',
    '}',
    ',',
    'NEAR(',
    'subject:',
    ' ',
    "'",
    '\u0301',
    '中',
    'é*',
    '\u001a',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
