import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseDirectoryFaults, isWithin } from '../../../config/base-directories.ts';

const faultOf = (directory: string) => baseDirectoryFaults({ a: directory })[0]?.message;

describe('base directories', () => {
  it.each(['/srv', '/srv/in box', '/srv/ä', '/srv/..data', '/srv/a.b', '/srv/.writer'])('accepts %s', (directory) => {
    expect(faultOf(directory)).toBeUndefined();
  });

  it.each([
    ['srv', /absolute/],
    ['./srv', /absolute/],
    ['~/srv', /absolute/],
    ['', /absolute/],
    ['/', /root/],
    ['/srv/', /plainly/],
    ['/srv//a', /plainly/],
    ['/srv/./a', /plainly/],
    ['/srv/../etc', /plainly/],
    ['/srv\0/a', /NUL/],
    ['/srv/.writ-vault', /reserved/],
    ['/srv/.WRIT-x/a', /reserved/],
  ])('refuses %j', (directory, message) => {
    expect(faultOf(directory)).toMatch(message);
  });

  it('refuses bases that contain each other, by components', () => {
    expect(baseDirectoryFaults({ outer: '/srv', inner: '/srv/a' })).toEqual([{ id: 'inner', message: expect.stringContaining('"outer"') }]);
    expect(baseDirectoryFaults({ one: '/srv/a', two: '/srv/ab' })).toEqual([]);
  });

  it('refuses the same directory twice', () => {
    expect(baseDirectoryFaults({ one: '/srv', two: '/srv' })).toHaveLength(2);
  });

  it('a directory is within another exactly when its components begin with those of the other', () => {
    const components = fc.array(fc.constantFrom('a', 'ab', 'b'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(components, components, (inner, outer) => {
        const begins = outer.length <= inner.length && outer.every((component, index) => inner[index] === component);
        expect(isWithin(`/${inner.join('/')}`, `/${outer.join('/')}`)).toBe(begins);
      }),
    );
  });
});
