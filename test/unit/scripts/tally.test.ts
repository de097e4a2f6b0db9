import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

const project = mkdtempSync(path.join(os.tmpdir(), 'writ-tally-'));
afterAll(() => rmSync(project, { recursive: true }));

const FILES = {
  'good.test.ts': "import { it } from 'vitest'; it('a', () => {}); it('b', () => {}); it.todo('c');",
  'bad.test.ts': "import { it } from 'vitest'; it('a', () => { throw new Error('no'); });",
  'broken.test.ts': "import './absent.ts';",
  'hook.test.ts': "import { beforeAll, describe, it } from 'vitest'; describe('d', () => { beforeAll(() => { throw new Error('no'); }); it('a', () => {}); });",
  'unhandled.test.ts': "import { it } from 'vitest'; it('a', async () => { void Promise.reject(new Error('no')); await new Promise(setImmediate); });",
};

for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(project, name), text);
symlinkSync(path.join(packageRoot(), 'node_modules'), path.join(project, 'node_modules'));
writeFileSync(
  path.join(project, 'vitest.config.ts'),
  `export default { test: { include: ['*.test.ts'], pool: 'forks', maxWorkers: 1, reporters: ['default', '${path.join(packageRoot(), 'test/support/tally-reporter.ts')}'] } };`,
);

function vitest(env: NodeJS.ProcessEnv, ...files: readonly string[]): Promise<{ code: number; lines: readonly string[] }> {
  const { WRIT_TALLY_FILE: _, ...inherited } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      path.join(packageRoot(), 'node_modules/.bin/vitest'),
      ['run', ...files],
      { cwd: project, env: { ...inherited, ...env } },
      (_error, stdout) => {
        resolve({ code: child.exitCode ?? -1, lines: stdout.trimEnd().split('\n') });
      },
    );
  });
}

describe('the closing line', () => {
  it('is the last one and counts broken files, failing hooks and unhandled errors as failures', async () => {
    const { code, lines } = await vitest({});
    // Passed: two of good, one of unhandled. Failed: bad, broken, hook, and the unhandled error.
    expect([code, lines.at(-1)]).toEqual([1, '3 passed, 4 failed']);
  });

  it('goes to a file when npm test asks for the counts', async () => {
    const file = path.join(project, 'tally.json');
    const { code, lines } = await vitest({ WRIT_TALLY_FILE: file }, 'good.test.ts');
    expect([code, JSON.parse(readFileSync(file, 'utf8'))]).toEqual([0, { passed: 2, failed: 0 }]);
    expect(lines.some((line) => /^\d+ passed, \d+ failed$/.test(line))).toBe(false);
  });
});
