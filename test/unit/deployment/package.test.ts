import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

const manifest = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;

it('no module of ours is imported for what it does alone: bundles leave such an import out', () => {
  expect(manifest['sideEffects']).toBe(false);
  const modules = ['src', 'queues', 'processors', 'config', 'bench'].flatMap((folder) =>
    readdirSync(path.join(packageRoot(), folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  );
  const sources = modules.filter((file) => /\.tsx?$/.test(file));
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((file) => /^import ['"]/m.test(readFileSync(path.join(packageRoot(), file), 'utf8')))).toEqual([]);
});

describe('what npm publishes', () => {
  it('says where it comes from and what it is about', () => {
    expect(manifest).toMatchObject({ repository: { type: 'git', url: expect.any(String) }, keywords: expect.arrayContaining(['bullmq', 'job-queue']) });
  });

  it('is not published under an address that nobody has', () => {
    expect(manifest['scripts']).toMatchObject({ prepublishOnly: 'node scripts/publishable.js' });
    const home = mkdtempSync(path.join(tmpdir(), 'writ-publish-'));
    const asked = (url: string) => {
      for (const file of ['package.json', 'packages/client/package.json']) {
        mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
        writeFileSync(path.join(home, file), JSON.stringify({ type: 'module', repository: { type: 'git', url } }));
      }
      const { status, stderr } = spawnSync(process.execPath, [path.join(packageRoot(), 'scripts/publishable.js')], { cwd: home, encoding: 'utf8' });
      return { status, told: stderr.split('\n').filter((line) => line.includes('repository is still')).length };
    };
    expect(asked('git+https://example.invalid/writ.git')).toEqual({ status: 1, told: 2 });
    expect(asked('git+https://git.example/writ.git')).toEqual({ status: 0, told: 0 });
    rmSync(home, { recursive: true });
  });
});
