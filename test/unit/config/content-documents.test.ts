import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import { contentRefusal } from '../../../src/content-search/settings/refusals.ts';
import { ContentSearchRequest } from '../../../src/contracts/index.ts';

const text = readFileSync(path.join(packageRoot(), 'docs', 'content-search.md'), 'utf8');

describe('docs/content-search.md', () => {
  it('shows settings that allow a search as they stand', () => {
    const [settings = ''] = [...text.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, block]) => block);
    expect(contentRefusal(ConfigSchema.parse(parse(settings)))).toBeUndefined();
  });

  it('names every field of a request, with a request that is one', () => {
    for (const field of Object.keys(ContentSearchRequest.shape)) expect(text).toContain(`\`${field}\``);
    const [request = ''] = [...text.matchAll(/-d '(\{.*\})'/g)].map(([, json]) => json);
    expect(ContentSearchRequest.safeParse(JSON.parse(request)).success).toBe(true);
  });

  it('says what is missing where nothing may be searched: both lines, or the one', () => {
    const refusal = (tools: object) => contentRefusal(ConfigSchema.parse({ tools }));
    expect(refusal({})).toMatch(/enabled = true.* and .*allowed_roots = \[/);
    expect(refusal({ search: { enabled: true } })).not.toContain('enabled = true');
    expect(refusal({ sandbox: { allowed_roots: ['/srv/a'] } })).not.toContain('allowed_roots');
  });
});
