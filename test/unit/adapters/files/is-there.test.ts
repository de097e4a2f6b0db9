import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { assertReadable, isThere, readIfThere } from '../../../../src/adapters/files/is-there.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-there-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What can be asked whether something is there, and why. */
const MAY_ASK: ReadonlySet<string> = new Set([
  // Finds programs and the package itself: what cannot be read is of no use, whether it is there or not.
  'config/package.ts',
  'config/places.ts',
  'config/load.ts',
  'src/content-search/process/launch.ts',
]);

describe('whether something stands at a path', () => {
  it('is told of what is there, and of what is surely not', () => {
    const file = path.join(root, 'file');
    writeFileSync(file, 'text');
    expect([isThere(root), isThere(file), readIfThere(file)]).toEqual([true, true, 'text']);
    for (const absent of ['none', 'none/below', 'file/below']) {
      expect([isThere(path.join(root, absent)), readIfThere(path.join(root, absent))]).toEqual([false, undefined]);
    }
    expect(() => assertReadable(root)).not.toThrow();
  });

  it.each([
    ['a link in a circle', (at: string) => symlinkSync(path.basename(at), at), 'cannot be read: ELOOP'],
    ['a link that leads nowhere', (at: string) => symlinkSync('nowhere', at), 'is a link that leads nowhere'],
  ])('is refused for %s', (_what, make, why) => {
    const place = path.join(root, 'place');
    make(place);
    for (const ask of [isThere, readIfThere]) {
      expect(() => ask(place)).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining(why) }));
    }
  });

  it('is refused for a directory where a file is to be read', () => {
    const place = path.join(root, 'place');
    mkdirSync(place);
    expect(() => readIfThere(place)).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining(place) }));
  });

  it('is asked here alone: what cannot be read is never taken for what is not there', () => {
    const asking = ['src', 'queues', 'processors', 'config']
      .flatMap((top) => readdirSync(path.join(packageRoot(), top), { recursive: true, encoding: 'utf8' }).map((name) => `${top}/${name}`))
      .filter((file) => file.endsWith('.ts') && /\bexistsSync\(/.test(readFileSync(path.join(packageRoot(), file), 'utf8')));
    expect(asking.filter((file) => !MAY_ASK.has(file))).toEqual([]);
  });
});
