import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../../src/bin/cli/settings.ts';

describe('the options of the program', () => {
  it.each<[string, Parameters<typeof readSettings>[0]]>([
    ['--data-dir', { json: false, dataDir: '', set: {} }],
    ['--config', { json: false, config: '', set: {} }],
  ])('refuse an empty %s, which a shell makes of a variable that nobody has set', (field, options) => {
    expect(() => readSettings(options)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
  });

  it('refuse a password among the arguments, which every user of the host can read', () => {
    const set = { 'redis.url': 'redis://:secret@127.0.0.1:6379' };
    expect(() => readSettings({ json: false, set })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field: '--set' }));
  });
});
