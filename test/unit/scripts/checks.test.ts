import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftOf, writeGenerated } from '../../../scripts/generated.ts';
import { type CheckResult, describeResult, runChecks } from '../../../scripts/run-checks.ts';

const run = async (checks: Parameters<typeof runChecks>[0]) => {
  const reported: CheckResult[] = [];
  await runChecks(checks, 2, (result) => reported.push(result));
  return Object.fromEntries(reported.map(({ name, passed, output }) => [name, { passed, output }]));
};

describe('static checks', () => {
  it('fail for a problem, for a crash and for a tool that cannot be started; all others still run', async () => {
    const results = await run([
      { name: 'bad', problems: () => ['first', 'second'] },
      {
        name: 'crash',
        problems: () => {
          throw new Error('no such file');
        },
      },
      { name: 'missing', tool: ['no-such-tool'] },
      { name: 'good', problems: () => [] },
      { name: 'tool', tool: ['tsc', '--version'] },
      { name: 'refusing tool', tool: ['tsc', '--no-such-option'] },
    ]);
    expect(results).toMatchObject({
      bad: { passed: false, output: 'first\nsecond' },
      crash: { passed: false, output: 'Error: no such file' },
      missing: { passed: false, output: expect.stringContaining('cannot be started') },
      good: { passed: true },
      tool: { passed: true },
      'refusing tool': { passed: false, output: expect.stringContaining('no-such-option') },
    });
  });

  it('are told in one line when they pass, with what was said when they fail', () => {
    const result = { name: 'x', output: 'why\n', seconds: 1.26 };
    expect(describeResult({ ...result, passed: true })).toBe('ok     x (1.3 s)\n');
    expect(describeResult({ ...result, passed: false })).toBe('FAILED x (1.3 s)\nwhy\n');
  });
});

describe('generated files', () => {
  it('drift when missing or different, and not after they were written', () => {
    const root = mkdtempSync(path.join(os.tmpdir(), 'writ-generated-'));
    try {
      const files = [
        { path: 'deep/a.json', content: '{}\n' },
        { path: 'b.md', content: 'text\n' },
      ];
      writeFileSync(path.join(root, 'b.md'), 'other\n');
      expect(driftOf(files, 'npm run x', root)).toEqual(['deep/a.json is out of date: npm run x', 'b.md is out of date: npm run x']);
      expect(writeGenerated(files, root)).toEqual(['deep/a.json', 'b.md']);
      expect(driftOf(files, 'npm run x', root)).toEqual([]);
      expect(writeGenerated(files, root)).toEqual([]);
      expect(readFileSync(path.join(root, 'b.md'), 'utf8')).toBe('text\n');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
