import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineRotation } from '../../../../src/data-dir/doctor/rotation.ts';

const MIB = 1024 * 1024;
const SETTINGS = { log: { rotate_mb: 64 }, audit: { rotate_mb: 8 } };

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-doctor-logs-'));
  mkdirSync(path.join(home, 'logs'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** A file of this length, without its bytes. */
function long(name: string, size: number): void {
  writeFileSync(path.join(home, name), '');
  truncateSync(path.join(home, name), size);
}
const look = (settings = SETTINGS) => examineRotation({ logs: path.join(home, 'logs'), audit: path.join(home, 'audit.ndjson') }, settings);

describe('doctor, about logs', () => {
  it('finds nothing where there are none, and where they are as long as they may be', async () => {
    expect(await look()).toMatchObject([{ area: 'Logs', title: 'rotation', level: 'ok' }]);
    long('logs/worker.log', 65 * MIB);
    long('logs/worker.log.1', 900 * MIB);
    long('audit.ndjson', 9 * MIB);
    expect(await look()).toMatchObject([{ level: 'ok' }]);
  });

  it('names those that could not be put aside, unless nobody wants them to be', async () => {
    long('logs/api.log', 10 * MIB);
    long('logs/worker.log', 70 * MIB);
    long('audit.ndjson', 20 * MIB);
    const [check] = await look();
    expect(check).toMatchObject({ level: 'warn', todo: expect.stringContaining('a log cannot be put aside, and grows on') });
    expect(check?.found).toMatch(/^worker\.log has .* and was to be put aside at .*; audit\.ndjson has /);
    expect(await look({ log: { rotate_mb: 0 }, audit: { rotate_mb: 0 } })).toMatchObject([{ level: 'ok' }]);
  });
});
