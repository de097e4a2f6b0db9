import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlobs, type Globs } from '../../../../../src/content-search/enumerate/globs.ts';
import { globFilter } from '../../../../../src/content-search/enumerate/globs-path.ts';
import { totalOf } from '../../../../../src/content-search/ngram-index/query/total.ts';
import { askedPath, liveOf, openedOf, planted, snapshotModel } from '../../../../support/content/snapshots.ts';

function globsOf(...globs: readonly string[]): Globs {
  const compiled = compileGlobs(globs);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.globs;
}

const isBeneath = (path: string, at: string): boolean => at === '' || path.startsWith(`${at}/`);

describe('the total of a search', () => {
  it('counts the documents at its place that neither the overlay nor a glob takes away, and those that a walk found', () => {
    const kind = fc.constantFrom('file' as const, 'directory' as const);
    const overlays = fc.record({ files: fc.array(askedPath.filter((path) => path !== '')), subtrees: fc.array(askedPath, { maxLength: 3 }) });
    const someGlobs = fc.constantFrom([], ['a*'], ['!a/**'], ['!é', '**/b']);
    fc.assert(
      fc.property(snapshotModel, askedPath, kind, overlays, someGlobs, fc.nat({ max: 9 }), (model, path, asKind, overlay, globs, walked) => {
        const { files, id } = planted(model);
        const compiled = globsOf(...globs);
        const admitted = globFilter(compiled, Buffer.from(path, 'latin1').toString());
        const expected = [...liveOf(model).keys()].filter(
          (each) =>
            (asKind === 'file' ? each === path : isBeneath(each, path)) &&
            !overlay.files.includes(each) &&
            !overlay.subtrees.some((subtree) => each === subtree || isBeneath(each, subtree)) &&
            admitted(Buffer.from(each, 'latin1').toString()),
        );
        expect(totalOf(openedOf(files, id), { path, kind: asKind }, overlay, compiled, walked)).toEqual({ ok: true, value: expected.length + walked });
      }),
      { numRuns: 60 },
    );
  });
});
