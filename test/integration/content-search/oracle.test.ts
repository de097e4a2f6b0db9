import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { runOnRealTree, runOracle } from '../../support/content/oracle.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let folder: string;

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('content-oracle');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The long suite `content-search` has thousands. */
const [TREES, REQUESTS] = [8, 8];

describe('generated trees and requests', () => {
  it('are answered as the reference answers them, which reads every file whole and shares no code', {
    tags: [
      'LSI-GEN-02',
      'FR-LSI-ORD-02',
      'FR-LSI-ORD-03.1',
      'FR-LSI-ORD-03.2',
      'FR-LSI-TRUNC-01a.1',
      'FR-LSI-TRUNC-01a.2',
      'FR-LSI-TRUNC-01a.3',
      'FR-LSI-ELIG-01.1',
      'FR-LSI-ELIG-01.2',
    ],
  }, async () => {
    const count = await runOracle({ seed: 41, folder, backends, trees: TREES, requestsPerTree: REQUESTS });
    expect(count).toMatchObject({ trees: TREES, requests: TREES * REQUESTS });
    expect(count.events).toBeGreaterThan(100);
  });

  it('are in the order of the reference where the name of a directory begins other names', { tags: ['LSI-GEN-02', 'FR-LSI-ORD-03.1'] }, async () => {
    const tree = path.join(folder, 'beginnings');
    for (const name of ['a', 'a b', 'a-b', 'a.d', 'a0', 'é', 'é-b']) {
      mkdirSync(path.join(tree, name), { recursive: true });
      for (const file of ['x', 'a', 'a-b', 'a.txt']) writeFileSync(path.join(tree, name, file), 'needle in hay\nneedle\n');
      writeFileSync(path.join(tree, `${name}!`), 'needle in hay\n');
      writeFileSync(path.join(tree, `${name}.txt`), 'hay\nneedle\n');
    }
    const count = await runOnRealTree({ seed: 7, folder: tree, backends, requests: 40 });
    expect(count.events).toBeGreaterThan(100);
    expect(count.truncated).toBeGreaterThan(0);
  });
});
