import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileDenied } from '../../src/content-search/enumerate/denied.ts';
import { enumerate } from '../../src/content-search/enumerate/enumerate.ts';
import { compileGlobs } from '../../src/content-search/enumerate/globs.ts';
import { nodeSearchTree } from '../../src/content-search/io/tree/tree.ts';
import { GLOBS, plantTree } from '../support/content/random-tree.ts';
import { type ReferenceTree, referenceFiles } from '../support/content/reference-walk.ts';
import { cases } from '../support/oracle-runs.ts';
import { createRandom } from '../support/random.ts';

const DENIED = ['**/.ssh/**', '**/.gnupg/**', '**/id_rsa*', '**/*.pem', '**/*.key'];
const GLOBAL = ['*.log', 'tra*\n!trail ', '/a/\n**/b\n'];

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'writ-enumerate-')));
});
afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

describe('the enumerator', () => {
  it('lists the files that the definition lists, in its order, on trees with every oddity', {
    tags: ['FR-LSI-ORD-03.1', 'FR-LSI-ELIG-01.1', 'T-LSI-PATH-01', 'T-LSI-PATH-02'],
  }, () => {
    const random = createRandom(20_260_722);
    for (let tree = 0; tree < cases(40); tree++) {
      const root = mkdtempSync(path.join(base, 'tree-'));
      plantTree(random, root);
      for (let request = 0; request < 8; request++) {
        const asked: ReferenceTree = {
          orderRoot: root,
          allowedRoots: random.chance(0.5) ? [root] : [base],
          start: '',
          hidden: random.chance(0.5),
          follow: random.chance(0.5),
          noIgnore: random.chance(0.3),
          globs: random.chance(0.6) ? [] : Array.from({ length: 1 + random.integer(3) }, () => random.pick(GLOBS)),
          globalIgnore: random.chance(0.3) ? random.pick(GLOBAL) : undefined,
        };
        const start = random.chance(0.3) ? placeIn(asked, random.number()) : '';
        const expected = referenceFiles({ ...asked, start }).map(({ raw }) => raw.toString('latin1'));
        expect({ ...asked, start, files: ours({ ...asked, start }, 1 + random.integer(9)) }).toEqual({ ...asked, start, files: expected });
      }
      rmSync(root, { recursive: true });
    }
  });
});

/** A file of the tree or the directory it is in, to begin at. */
function placeIn(tree: ReferenceTree, share: number): string {
  const texts = referenceFiles({ ...tree, follow: false, globs: [] }).flatMap(({ text, raw }) => (Buffer.from(text).equals(raw) ? [text] : []));
  const text = texts[Math.floor(share * texts.length)] ?? '';
  return share * 7 - Math.floor(share * 7) < 0.5 ? text : text.slice(0, Math.max(0, text.lastIndexOf('/')));
}

function ours(tree: ReferenceTree, piece: number): string[] {
  const globs = compileGlobs(tree.globs);
  if (!globs.ok) throw new Error(globs.message);
  const files = enumerate(nodeSearchTree(), { ...tree, globs: globs.globs, denied: compileDenied(DENIED) });
  const found: string[] = [];
  for (let more = files.next(piece); more.length > 0; more = files.next(piece)) {
    expect(more.length).toBeLessThanOrEqual(piece);
    for (const { text, raw } of more) {
      if (raw !== undefined) expect(raw.toString()).toBe(text);
      found.push((raw ?? Buffer.from(text)).toString('latin1'));
    }
  }
  return found;
}
