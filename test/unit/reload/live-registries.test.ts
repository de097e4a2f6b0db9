import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { followRegistries, registriesMark } from '../../../src/reload/live-registries.ts';
import { holdSettings } from '../../../src/reload/live-settings.ts';

const home = mkdtempSync(path.join(tmpdir(), 'writ-live-registries-'));
const own = path.join(home, 'own');
mkdirSync(path.join(own, 'config/capabilities'), { recursive: true });
afterAll(() => rmSync(home, { recursive: true }));

describe('definitions of a role that reloads', () => {
  it('are those of the last sound files, also when one of them is half written', async () => {
    const directories = { shipped: home, own };
    const settings = holdSettings({});
    const { lookup, refs } = followRegistries(directories, settings);
    const reload = () =>
      settings.reload('me', {
        role: 'api 1',
        read: () => settings.current,
        judge: (now) => ({ config: now, changed: [], restart: [] }),
        audit: createAuditLog({ file: path.join(home, 'audit.ndjson'), clock: systemClock }),
        tell: () => undefined,
        warn: () => undefined,
      });
    const file = path.join(own, 'config/capabilities/search.files.find.json');
    const text = readFileSync(path.join(packageRoot(), 'config/capabilities/search.files.find.json'), 'utf8');
    writeFileSync(file, text.slice(0, 30));
    const found = () => lookup('capabilities', 'search.files.find');
    expect([await reload(), found()]).toEqual([expect.objectContaining({ outcome: 'refused' }), undefined]);
    expect([settings.generation, settings.files()]).toEqual([1, { registries: expect.any(String) }]);
    writeFileSync(file, text);
    const changed = ['capabilities search.files.find'];
    expect(refs('capabilities')).toEqual([]);
    expect([await reload(), found()]).toEqual([{ outcome: 'taken', changed, restart: [] }, JSON.parse(text)]);
    expect(settings.files()).toEqual({ registries: registriesMark(directories) });
    expect(refs('capabilities')).toEqual(['search.files.find']);
    rmSync(file);
    expect([await reload(), found(), settings.generation]).toEqual([expect.objectContaining({ changed }), undefined, 3]);
  });
});
