import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { OPTIONAL_PACKAGES, withOptionalPackages } from '../../../src/core/optional-packages.ts';

const manifest = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as Readonly<Record<string, Record<string, never>>>;

describe('optional packages', () => {
  it('are the optional peers of the package, each for one purpose, and installed for the tests', () => {
    const named = Object.values(OPTIONAL_PACKAGES)
      .flat()
      .map((one) => [one.slice(0, one.lastIndexOf('@')), one.slice(one.lastIndexOf('@') + 1)] as const);
    expect(Object.fromEntries(named)).toEqual(manifest['peerDependencies']);
    expect(manifest['devDependencies']).toMatchObject(Object.fromEntries(named));
    expect(manifest['peerDependenciesMeta']).toEqual(Object.fromEntries(named.map(([name]) => [name, { optional: true }])));
    expect(named.filter(([name]) => name in (manifest['dependencies'] ?? {}) || name in (manifest['optionalDependencies'] ?? {}))).toEqual([]);
  });

  it('that are not there are named with the command that installs them', async () => {
    const missing = withOptionalPackages('screen', 'writ tui', () => import('a-package-that-nobody-has' as string));
    await expect(missing).rejects.toMatchObject({
      code: 'PACKAGE_MISSING',
      message: 'writ tui needs packages that are not installed; where Writ is installed, run: npm install ink@6.8.0 react@19.3.1',
    });
  });

  it('do not hide another fault', async () => {
    const fault = new Error('broken');
    await expect(withOptionalPackages('tracing', 'tracing.enabled', () => Promise.reject(fault))).rejects.toBe(fault);
  });
});
