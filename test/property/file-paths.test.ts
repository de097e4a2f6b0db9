import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReservedName } from '../../src/contracts/index.ts';
import { isWithin, parsePath, toPathBase } from '../../src/executors/file/paths.ts';

const BASES = [
  { id: 'one', path: '/base' },
  { id: 'two', path: '/base2/deep' },
].map(toPathBase);

/** Paths that come near to every rule. */
const component = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '...',
    'base',
    'base2',
    'deep',
    '.writ-vault',
    '.WRIT-x',
    '.writ',
    'a',
    'b c',
    '*',
    '[',
    '?',
    '\0',
    '~',
    '\\',
    'é',
    '😀',
    '\ud800',
  ),
  fc.string({ maxLength: 6, unit: 'binary' }),
);
const nearPath = fc
  .tuple(fc.constantFrom('', '/', '//', '/base/', '/base', '/base2/deep/', 'file://', '/base/./'), fc.array(component, { maxLength: 6 }))
  .map(([head, parts]) => head + parts.join('/'));

describe('any path', () => {
  it('that is taken lies below a base, component by component, and nowhere else', { tags: ['FE-20', 'FE-52'] }, () => {
    fc.assert(
      fc.property(nearPath, fc.boolean(), (raw, permitVault) => {
        const answer = parsePath(raw, BASES, permitVault);
        if (!answer.ok) return;
        const { base, segments, absolute, inVault } = answer.path;
        const root = BASES.find(({ id }) => id === base)?.path ?? '';
        expect(absolute).toBe(`${root}/${segments.join('/')}`);
        expect(segments.length).toBeGreaterThan(0);
        for (const segment of segments) expect(['', '.', '..']).not.toContain(segment);
        expect(raw.split('/')).not.toContain('..');
        expect(inVault || !segments.some(isReservedName)).toBe(true);
        // An independent normalization agrees.
        expect(posix.normalize(raw)).toBe(absolute);
      }),
      { numRuns: 2000 },
    );
  });

  it('that is taken is taken again in its normalized form, as the same path', { tags: ['FE-18'] }, () => {
    fc.assert(
      fc.property(nearPath, (raw) => {
        const answer = parsePath(raw, BASES);
        if (answer.ok) expect(parsePath(answer.path.absolute, BASES)).toEqual(answer);
      }),
      { numRuns: 1000 },
    );
  });

  it('is judged the same with more slashes and dots in it', { tags: ['FE-18'] }, () => {
    const plain = fc.stringMatching(/^[a-z][a-z0-9 ._-]{0,8}$/).filter((part) => part.trim() !== '');
    fc.assert(
      fc.property(
        fc.array(plain, { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom('/', '//', '/./', '/././/'), { minLength: 4, maxLength: 4 }),
        (parts, joints) => {
          const clean = `/base/${parts.join('/')}`;
          const noisy = `/base${parts.map((part, index) => `${joints[index] ?? '/'}${part}`).join('')}`;
          expect(parsePath(noisy, BASES)).toEqual(parsePath(clean, BASES));
          expect(parsePath(clean, BASES).ok).toBe(true);
        },
      ),
    );
  });

  it('gets a well-formed, short message when it is refused, with nothing of the bases in it', () => {
    fc.assert(
      fc.property(fc.oneof(nearPath, fc.string({ maxLength: 9000 }), fc.anything()), (raw) => {
        const answer = parsePath(raw, [toPathBase({ id: 'x', path: '/secret/place' })]);
        if (answer.ok) return;
        expect(answer.message.length).toBeLessThan(1000);
        expect(answer.message).not.toMatch(/\p{Surrogate}/u);
        if (typeof raw !== 'string' || !raw.includes('secret')) expect(answer.message).not.toContain('secret');
      }),
      { numRuns: 500 },
    );
  });

  it('is compared by component: a prefix of text is no prefix of a path', () => {
    const parts = fc.array(fc.constantFrom('a', 'ab', 'b', 'a b'), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (path, prefix) => {
        const text = (components: readonly string[]): string => `/${components.map((part) => `${part}/`).join('')}`;
        expect(isWithin(path, prefix)).toBe(text(path).startsWith(text(prefix)));
      }),
    );
  });
});
