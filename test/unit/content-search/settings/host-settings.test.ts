import { describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../../config/schema.ts';
import { NO_INDEX } from '../../../../src/content-search/io/settings.ts';
import { hostsSettings } from '../../../../src/content-search/settings/host-settings.ts';

describe('the settings of index hosts', () => {
  it('give a build its own time, however short that of searches is', { tags: ['LSI-BUD-GEN', 'FR-LSI-BUD-INIT-01.1'] }, () => {
    for (const [default_timeout_ms, index_build_timeout_ms] of [
      [1_000, 300_000],
      [60_000, 2_000],
    ]) {
      const { search } = ConfigSchema.parse({ tools: { search: { default_timeout_ms, index_build_timeout_ms } } }).tools;
      expect(hostsSettings(search, { index: NO_INDEX, globalIgnoreFile: '' }).build.timeoutMs).toBe(index_build_timeout_ms);
    }
  });
});
