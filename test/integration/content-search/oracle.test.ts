import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { runOracle } from '../../support/content/oracle.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let folder: string;

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('content-oracle');
});
afterAll(() => rmSync(folder, { recursive: true }));

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
    const count = await runOracle({ seed: 41, folder, backends, trees: 12, requestsPerTree: 10 });
    expect(count).toMatchObject({ trees: 12, requests: 120 });
    expect(count.events).toBeGreaterThan(100);
  });
});
