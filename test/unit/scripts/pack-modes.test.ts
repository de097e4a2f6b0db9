import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'writ-modes-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('what npm packs', () => {
  it('has the same modes whatever the umask of the checkout, and nothing else is touched', () => {
    const files = { 'package.json': 0o600, 'page.md': 0o664, program: 0o700, 'left-out': 0o600 };
    for (const name of Object.keys(files)) writeFileSync(path.join(directory, name), name);
    writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ name: 'modes', version: '1.0.0', files: ['page.md', 'program'] }));
    for (const [name, mode] of Object.entries(files)) chmodSync(path.join(directory, name), mode);
    execFileSync(process.execPath, [path.join(packageRoot(), 'scripts', 'pack-modes.js')], { cwd: directory });
    const modes = Object.keys(files).map((name) => (statSync(path.join(directory, name)).mode & 0o777).toString(8));
    expect(modes).toEqual(['644', '644', '755', '600']);
  });
});
