import { describe, expect, it } from 'vitest';
import { readWalks, walkProblems } from '../../../../scripts/house/walks.ts';

const PAGE = `# Architecture

1. \`not/a/walk.ts\`

### Walk (a) \`writ push\`: 2 files

A sentence.

1. \`src/a.ts\` begins
2. \`src/b.ts\` ends; then \`src/c.ts\` is only mentioned

### Walk (b) another

1. \`src/a.ts\`
2. \`src/a.ts\`

## The end

1. \`src/d.ts\`
`;

describe('guided walks', () => {
  it('are the numbered lists below their headings', () => {
    expect(readWalks(PAGE).map(({ id, files }) => [id, files])).toEqual([
      ['a', ['src/a.ts', 'src/b.ts']],
      ['b', ['src/a.ts', 'src/a.ts']],
    ]);
  });

  it('may name no file that is not there, and none twice', () => {
    expect(walkProblems(readWalks(PAGE), (file) => file === 'src/a.ts')).toEqual([
      'walk (a) of docs/architecture.md names src/b.ts, which is not there',
      'walk (b) of docs/architecture.md names src/a.ts twice',
    ]);
  });
});
