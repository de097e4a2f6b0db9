import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { describeConfig } from '../../../config/describe.ts';
import { loadConfig } from '../../../config/load.ts';
import { packageRoot } from '../../../config/package.ts';
import { renderOwnToml } from '../../../config/render.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import { settingsByKey } from '../../../config/settings.ts';

const shipped = readFileSync(path.join(packageRoot(), 'config', 'writ.toml'), 'utf8');
const lines = shipped.split('\n');

describe('config/writ.toml', () => {
  it('says for every key exactly the default of the schema, and has no other key', () => {
    expect(parse(shipped)).toEqual(ConfigSchema.parse({}));
  });

  it.each([...settingsByKey().values()].map(({ key, kind, description }) => [key, kind, description] as const))('explains %s', (key, kind, description) => {
    const name = key.slice(key.lastIndexOf('.') + 1);
    const line = lines.findIndex(
      (text, at) => (kind === 'table' ? text === `[${key}]` : text.startsWith(`${name} = `)) && lines.slice(0, at).join('\n').includes(description),
    );
    expect(line).toBeGreaterThan(0);
    expect(lines[line - 1]).toContain(description);
    expect(description).toMatch(/^[A-Z].*\.$/);
  });
});

describe('writ init', () => {
  it('writes a file that changes nothing and whose lines become settings without their #', () => {
    const inner: Readonly<Record<string, object>> = { tools: { search: {}, sandbox: {} }, redis: { tls: {} }, http: { tls: {} } };
    const sections = Object.keys(ConfigSchema.shape).map((section) => [section, inner[section] ?? {}]);
    expect(parse(renderOwnToml())).toEqual(Object.fromEntries(sections));
    const opened = renderOwnToml().replace(/^# (?=[a-z_]+ = (?!"\/srv))/gm, '');
    expect(ConfigSchema.parse(parse(opened))).toEqual(ConfigSchema.parse({}));
  });
});

describe('describeConfig', () => {
  it('shows every setting with its value, its source and its sentence, and hides passwords', () => {
    const data = mkdtempSync(path.join(os.tmpdir(), 'writ-describe-'));
    try {
      writeFileSync(path.join(data, 'writ.toml'), '[file.base_directories]\ninbox = "/srv/inbox"\n');
      const rows = describeConfig(loadConfig({ env: { WRIT_DATA_DIR: data, WRIT_REDIS__URL: 'redis://me:secret@localhost:1' } }));
      expect(rows.map(({ key }) => key)).toEqual([...settingsByKey().keys()]);
      expect(rows.find(({ key }) => key === 'redis.url')).toMatchObject({ value: '"redis://me:***@localhost:1"', source: 'WRIT_REDIS__URL' });
      expect(rows.find(({ key }) => key === 'file.base_directories')).toMatchObject({
        value: '{ inbox = "/srv/inbox" }',
        source: `${path.join(data, 'writ.toml')}:1`,
      });
      expect(rows.find(({ key }) => key === 'log.level')).toMatchObject({ value: '"info"', source: 'default' });
      expect(JSON.stringify(rows)).not.toContain('secret');
    } finally {
      rmSync(data, { recursive: true });
    }
  });
});
