import { describe, expect, it } from 'vitest';
import { settingKinds } from '../../../config/kinds.ts';
import { settingsByKey } from '../../../config/settings.ts';

describe('the kinds of settings', () => {
  it('are those that their description says, in its order', () => {
    expect([...settingKinds()]).toEqual([...settingsByKey().values()].map(({ key, kind }) => [key, kind]));
  });

  it('are of every kind that there is, so that each reader of the schema is shown', () => {
    expect(new Set(settingKinds().values())).toEqual(new Set(['string', 'integer', 'number', 'boolean', 'list', 'integers', 'table']));
  });
});
