import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { commandLine } from '../../support/command-line.ts';
import { startWrit } from '../../support/writ-process.ts';

let home: string;
let dataDir: string;
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-refused-'));
  dataDir = path.join(home, 'data');
  await commandLine(['--data-dir', dataDir, 'init']);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe.each([
  ['a receiver that is not allowed', '[webhooks.endpoints.crm]\nurl = "http://127.0.0.1:9711/ok"\n', 'webhooks.endpoints.crm.url', 'webhook crm'],
  [
    'a certificate that is not there',
    '[http.tls]\ncert_file = "/nowhere/cert.pem"\nkey_file = "/nowhere/key.pem"\n',
    'http.tls.cert_file',
    'certificate of the API',
  ],
  ['a deny pattern that fits nothing', '[tools.sandbox]\ndenied_patterns = ["a[b"]\n', 'tools.sandbox.denied_patterns', 'deny patterns'],
])('settings with %s', (_what, text, field, title) => {
  it('are refused by `writ up` before it starts anything, and are a FAIL of `writ doctor`', async () => {
    writeFileSync(dataDirPaths(dataDir).configFile, text, { mode: 0o600 });
    const up = startWrit(['--data-dir', dataDir, '--set', 'http.port=0', 'up']);
    expect(await up.ended).toBe(2);
    expect(up.said()).toMatch(new RegExp(`^writ: ${field.replaceAll('.', '\\.')}.*\\(INVALID_CONFIG\\)`));
    expect([dataDirPaths(dataDir).redis, dataDirPaths(dataDir).logs].filter(existsSync)).toEqual([]);
    const doctor = await commandLine(['--data-dir', dataDir, 'doctor', '--json']);
    const { checks } = JSON.parse(doctor.out) as { checks: unknown[] };
    expect(checks).toContainEqual(expect.objectContaining({ title, level: 'fail', found: expect.any(String), todo: expect.stringContaining('mend') }));
  });
});
