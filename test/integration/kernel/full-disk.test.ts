import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startChild } from '../journal/fixture.ts';

const CHILD = fileURLToPath(new URL('./full-disk-child.ts', import.meta.url));

it('a kernel on a full disk says so by an outage that workers wait for, and signs again when there is room', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-kernel-full-'));
  // Fails, and names the command, where user namespaces are forbidden: run it as root then.
  const wrapper = process.geteuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm'];
  expect(JSON.parse(await startChild(CHILD, [directory], { wrapper }).output)).toEqual({
    before: 'signed',
    full: ['STORAGE_UNAVAILABLE: a disk of this host is full'],
    after: 'signed',
    reports: ['database or disk is full'],
  });
  rmSync(directory, { recursive: true });
});
