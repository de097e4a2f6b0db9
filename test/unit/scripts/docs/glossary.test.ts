import { describe, expect, it } from 'vitest';
import { missingNames, orderProblems, parseGlossary, wordsOf } from '../../../../scripts/docs/glossary.ts';

const PAGE = `# Glossary

| other | table |
|---|---|
| x | \`y\` |

| term | name in the code | meaning |
|---|---|---|
| claim | \`claim\`, \`LedgerClaim\` | a \`worker\` takes a task |
| lease key | \`writ:use\` | signs |
| word | – | for people only |
`;

describe('the glossary', () => {
  it('has a row for each term, with its names in the code', () => {
    expect(parseGlossary(PAGE)).toEqual([
      { term: 'claim', names: ['claim', 'LedgerClaim'] },
      { term: 'lease key', names: ['writ:use'] },
      { term: 'word', names: [] },
    ]);
  });

  it('refuses a name that no source has; a comment does not count, each part of a compound does', () => {
    const words = wordsOf(['/** LedgerClaim */\nexport function claim() {} // use\n  // writ', "const x = 'writ:use';\n-- y\n"]);
    expect(missingNames(parseGlossary(PAGE), words)).toEqual(["docs/glossary.md: 'claim' is called `LedgerClaim` there, a name that no source has"]);
    expect(words.has('y')).toBe(false);
  });

  it('refuses a term that stands there twice, or out of order', () => {
    const term = (name: string) => ({ term: name, names: [] });
    expect(orderProblems(['audit', 'Claim', 'claim', 'base'].map(term))).toEqual([
      "docs/glossary.md: 'claim' stands there twice",
      "docs/glossary.md: 'base' belongs before 'claim'",
    ]);
  });
});
