import { describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../../config/schema.ts';
import { contentRefusal, indexRefusal, wantsIndex } from '../../../../src/content-search/settings/refusals.ts';

const configOf = (index_mode: string, enabled = true, allowed_roots = ['/srv/code']) =>
  ConfigSchema.parse({ tools: { search: { enabled, index_mode }, sandbox: { allowed_roots } } });

describe('what there is for an index host to do', () => {
  it('is nothing while the index is off, wherever content search is allowed', { tags: ['FR-LSI-IDX-02'] }, () => {
    expect([wantsIndex(configOf('off')), indexRefusal(configOf('off'))]).toEqual([false, 'index_mode is off in [tools.search]']);
    expect(contentRefusal(configOf('off'))).toBeUndefined();
  });

  it.each(['auto', 'on'])('is something in mode %s, where content search is allowed', { tags: ['FR-LSI-IDX-01'] }, (mode) => {
    expect([wantsIndex(configOf(mode)), indexRefusal(configOf(mode))]).toEqual([true, undefined]);
    expect(indexRefusal(configOf(mode, false))).toContain('`enabled = true`');
    expect(indexRefusal(configOf(mode, true, []))).toContain('`allowed_roots');
  });
});
