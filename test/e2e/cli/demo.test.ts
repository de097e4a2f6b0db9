import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { pathWithWrit, startCommand } from '../../support/writ-process.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-demo-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('the demo of the README moves each file once while it kills the worker, and leaves nothing', async () => {
  const env = { PATH: pathWithWrit(path.join(directory, 'bin')), TMPDIR: directory, HOME: directory };
  const demo = startCommand('bash', [path.join(packageRoot(), 'examples', 'demo.sh'), '60'], { env });
  expect([await demo.ended, demo.said()]).toEqual([0, expect.stringMatching(/SUCCESS\n$/)]);
  expect(demo.said().match(/kill -9 \d+/g)).toHaveLength(2);
  expect(demo.said()).toContain('accepted 60, succeeded 60');
  expect(demo.said()).toContain('replayed 60, succeeded 60');
  expect(readdirSync(directory)).toEqual(['bin']);
});
