import { describe, expect, it } from 'vitest';
import { loadDriver, Sqlite } from '../../../../src/adapters/sqlite/driver.ts';

const fault = (code: string): Error => Object.assign(new Error('of Node'), { code });
const missing = fault('MODULE_NOT_FOUND');

/** Stands for a package whose native part was built for another Node.js. */
class Foreign {
  constructor() {
    throw fault('ERR_DLOPEN_FAILED');
  }
}

/** What each package gives; an error is thrown. */
const packages =
  (found: Readonly<Record<string, unknown>>) =>
  (name: string): unknown => {
    const one = found[name] ?? missing;
    if (one instanceof Error) throw one;
    return one;
  };

describe('the SQLite driver', () => {
  it.each([
    [20, 'better-sqlite3'],
    [22, 'better-sqlite3'],
    [22, 'better-sqlite3-13'],
    [24, 'better-sqlite3-13'],
  ])('of Node %i is found in %s', (major, name) => {
    expect(loadDriver(major, packages({ [name]: Sqlite }))).toBe(Sqlite);
  });

  it.each([
    ['left out for Node 20', 24, packages({ 'better-sqlite3': Sqlite }), /leaves out .* install it again/],
    ['built for Node 20', 22, packages({ 'better-sqlite3': Foreign }), /built for another one: .* `npm rebuild`, or install it again/],
    ['built for Node 22', 20, packages({ 'better-sqlite3': Foreign }), /built for another one: .* `npm rebuild`/],
    ['built for Node 22, and this is another', 24, packages({ 'better-sqlite3': Sqlite, 'better-sqlite3-13': Foreign }), /built for another one/],
  ])('that was %s is refused with what to run', (_, major, load, says) => {
    expect(() => loadDriver(major, load)).toThrow(expect.objectContaining({ code: 'PACKAGE_MISSING', message: expect.stringMatching(says) }));
  });

  it('passes on what has another cause', () => {
    expect(() => loadDriver(20, packages({ 'better-sqlite3': new Error('of the disk') }))).toThrow('of the disk');
  });
});
