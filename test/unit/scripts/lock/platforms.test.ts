import { describe, expect, it } from 'vitest';
import { completed, missingEntries } from '../../../../scripts/lock/platforms.ts';

const PRESENT = { version: '1.0.0', optional: true };

describe('the lock file', () => {
  it('gets an entry for every platform package that the registry did not have', () => {
    const packages = {
      'node_modules/tool': {
        version: '1.0.0',
        dev: true,
        optionalDependencies: {
          '@tool/linux-x64': '1.0.0',
          '@tool/linux-x64-musl': '1.0.0',
          '@tool/win32-ia32-msvc': '1.0.0',
          '@tool/linux-arm-gnueabihf': '1.0.0',
        },
      },
      'node_modules/@tool/linux-x64': PRESENT,
      'node_modules/other': { version: '2.0.0', optionalDependencies: { 'other-darwin-arm64': '2.0.0' } },
    };
    expect(Object.fromEntries(missingEntries(packages))).toEqual({
      'node_modules/@tool/linux-x64-musl': { version: '1.0.0', cpu: ['x64'], dev: true, libc: ['musl'], optional: true, os: ['linux'] },
      'node_modules/@tool/win32-ia32-msvc': { version: '1.0.0', cpu: ['ia32'], dev: true, optional: true, os: ['win32'] },
      'node_modules/@tool/linux-arm-gnueabihf': { version: '1.0.0', cpu: ['arm'], dev: true, libc: ['glibc'], optional: true, os: ['linux'] },
      'node_modules/other-darwin-arm64': { version: '2.0.0', cpu: ['arm64'], optional: true, os: ['darwin'] },
    });
    expect(missingEntries(completed(packages)).size).toBe(0);
    expect(completed(packages)).toMatchObject(packages);
  });

  it('is complete when the package lies anywhere that Node.js would look', () => {
    const optionalDependencies = { 'x-linux-x64': '1.0.0' };
    expect(missingEntries({ 'node_modules/a/node_modules/b': { optionalDependencies }, 'node_modules/a/node_modules/x-linux-x64': PRESENT }).size).toBe(0);
    expect(missingEntries({ 'node_modules/a/node_modules/b': { optionalDependencies }, 'node_modules/x-linux-x64': PRESENT }).size).toBe(0);
    expect(missingEntries({ 'node_modules/b': { optionalDependencies }, 'node_modules/a/node_modules/x-linux-x64': PRESENT }).size).toBe(1);
  });

  it('is refused when the missing package is not one for a platform', () => {
    expect(() => missingEntries({ 'node_modules/a': { optionalDependencies: { helper: '1.0.0' } } })).toThrow('lacks helper@1.0.0');
    expect(() => missingEntries({ 'node_modules/a': { optionalDependencies: { 'helper-linux': '^1.0.0' } } })).toThrow('lacks helper-linux@^1.0.0');
  });
});
