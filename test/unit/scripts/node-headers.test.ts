import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

let prefix: string;
beforeEach(() => {
  prefix = mkdtempSync(path.join(os.tmpdir(), 'writ-headers-'));
});
afterEach(() => rmSync(prefix, { recursive: true }));

const printed = () =>
  execFileSync(process.execPath, [path.join(packageRoot(), 'scripts/node-headers.js'), path.join(prefix, 'bin/node')], { encoding: 'utf8' });

function laid(version: string): void {
  const [major, minor, patch] = version.split('.');
  mkdirSync(path.join(prefix, 'include/node'), { recursive: true });
  const text = `#define NODE_MAJOR_VERSION ${major}\n#define NODE_MINOR_VERSION ${minor}\n#define NODE_PATCH_VERSION ${patch}\n#define NODE_VERSION_IS_LTS 1\n`;
  writeFileSync(path.join(prefix, 'include/node/node_version.h'), text);
}

it('tells where the headers of this very Node lie', () => {
  laid(process.versions.node);
  expect(printed()).toBe(prefix);
});

it('tells nothing of the headers of another Node, or of none', () => {
  expect(printed()).toBe('');
  laid('1.2.3');
  expect(printed()).toBe('');
});
