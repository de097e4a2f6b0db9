import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { runDamage } from '../../support/content/index-damage.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { patient } from '../../support/patience.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let folder: string;

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('index-damage');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The long suite has thousands. */
const [SEED, ROUNDS] = [1, 5];

describe('an index of which a file is damaged', () => {
  it('changes no answer, holds no search up, and comes back by itself, whatever was done to it and when', {
    tags: ['NFR-LSI-COR-02', 'NFR-LSI-REL-01', 'FR-LSI-BG-52', 'FR-LSI-BG-10.1', 'LSI-BG-GEN', 'FR-LSI-IDX-05'],
    timeout: patient(180_000),
  }, async () => {
    const count = await runDamage({ seed: SEED, folder, backend: backends.rg, trees: 1, roundsPerTree: ROUNDS });
    expect(count).toMatchObject({ recoveries: ROUNDS, deaths: 0 });
    expect(count.damages).toBeGreaterThan(ROUNDS / 2);
    expect(count.excluding).toBeGreaterThanOrEqual(ROUNDS);
  });

  it('is built again in memory, of which nothing is left afterwards', { tags: ['NFR-LSI-COR-02', 'FR-LSI-IDX-RM-04'], timeout: patient(180_000) }, async () => {
    const count = await runDamage({
      seed: SEED,
      folder,
      backend: backends.rg,
      trees: 1,
      roundsPerTree: 1,
      phases: ['killed'],
      inMemory: true,
    });
    expect(count).toMatchObject({ recoveries: 1, deaths: 0 });
  });
});
