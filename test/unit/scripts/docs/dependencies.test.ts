import { describe, expect, it } from 'vitest';
import { parsePackageRows, wrongVersions } from '../../../../scripts/docs/dependencies.ts';

const PAGE = `# Dependencies

| package | ours | newest |
|---|---|---|
| \`a\` | 1.0.0 | 2 |
| \`b\`, \`@c/d\` (override) | 3.1.0 | 4 |

| package | instead |
|---|---|
| \`e\` | f |
`;

describe('the page of dependencies', () => {
  it('says of each package in its tables which version is used', () => {
    expect(parsePackageRows(PAGE)).toEqual([
      { name: 'a', ours: '1.0.0' },
      { name: 'b', ours: '3.1.0' },
      { name: '@c/d', ours: '3.1.0' },
    ]);
  });

  it('is refused where package.json has another version, or no such package', () => {
    const versions = new Map([
      ['a', '1.0.0'],
      ['b', '3.2.0'],
    ]);
    expect(wrongVersions(parsePackageRows(PAGE), versions)).toEqual([
      'docs/dependencies.md: b is 3.1.0 there, 3.2.0 in package.json',
      'docs/dependencies.md: @c/d is 3.1.0 there, not used in package.json',
    ]);
  });
});
