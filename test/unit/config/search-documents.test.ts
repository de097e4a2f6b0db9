import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import { searchScopes } from '../../../src/bin/search/scopes.ts';

const text = readFileSync(path.join(packageRoot(), 'docs', 'search-executor.md'), 'utf8');
const blocks = [...text.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, block = '']) => block);
const scopes = blocks.flatMap((block) => Object.values(searchScopes(ConfigSchema.parse(parse(block)))));

describe('docs/search-executor.md', () => {
  it('shows settings that are good as they stand, for every kind of scope', { tags: ['SE-35'] }, () => {
    expect(blocks.length).toBeGreaterThanOrEqual(4);
    expect(new Set(scopes.map(({ kind }) => kind))).toEqual(new Set(['files', 'emails', 'datasets']));
    expect(scopes.map((scope) => ('store' in scope ? scope.store : 'format' in scope ? scope.format : 'directory'))).toEqual([
      'directory',
      'maildir',
      'imap',
      'csv',
      'sqlite',
    ]);
  });

  it.each(blocks.flatMap((block) => [...block.matchAll(/^(.*?) = "\w+" # or (.*)$/gm)].map(([, key = '', others = '']) => [block, key, others] as const)))(
    'the values that a comment names are good too: %#',
    (block, key, others) => {
      const values = [...others.matchAll(/"(\w+)"/g)].map(([, value = '']) => value);
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) {
        const changed = block.replace(new RegExp(`^${key} = "\\w+"`, 'm'), `${key} = "${value}"`).replace(/^numeric = .*\n/m, '');
        expect(ConfigSchema.safeParse(parse(changed)).success).toBe(true);
      }
    },
  );
});
