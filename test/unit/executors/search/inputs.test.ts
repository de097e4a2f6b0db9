import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { SEARCH_KIND, type SearchCapability } from '../../../../src/contracts/index.ts';
import type { SearchScope } from '../../../../src/core/ports/index.ts';
import { parseTask } from '../../../../src/executors/search/inputs.ts';

const SCOPES = {
  files: { kind: 'files', path: '/srv/files' },
  emails: { kind: 'emails', store: 'mbox', path: '/srv/mail' },
  datasets: { kind: 'datasets', format: 'csv', path: '/srv/data.csv', table: '', primaryKey: 'id', numeric: [] },
} as const satisfies Record<SearchScope['kind'], SearchScope>;

/** The settings take identifiers of 1 to 128 characters. */
const IDS = ['inbox', 'a', 'x', 'x'.repeat(128), 'constructor', '\u{1F4C4}'];

/** Without white space at the ends: a schema cannot measure a text without them (search-executor.md 4). */
const query = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'Ä', '\u0000', '"', '\u{1F4C4}', '\ud7ff', '\ufeff'), maxLength: 5 }),
  fc.tuple(fc.constantFrom('a', 'ß', '\u{1F4C4}'), fc.constantFrom(1, 2, 2048, 2049, 4095, 4096, 4097, 8192)).map(([unit, n]) => unit.repeat(n)),
  fc.constantFrom('a b', 'a\nb'),
);
const strange = fc.constantFrom<unknown>(undefined, null, true, 1, 'a', [], {}, ['a'], { query: 'a' });
const inputs = fc.record(
  {
    query: fc.oneof({ weight: 4, arbitrary: query }, strange),
    target_scope: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...IDS) }, fc.constantFrom('', 'x'.repeat(129)), strange),
    max_results: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -1, max: 1002 }) }, fc.constantFrom(0, 1, 1000, 1001, 1.5, 2 ** 53, -0), strange),
    more: fc.option(strange, { freq: 8, nil: undefined }),
  },
  { requiredKeys: [] },
);

const ajv = new Ajv2020({ strict: true });

describe.each(Object.entries(SEARCH_KIND) as [SearchCapability, SearchScope['kind']][])('contracts/ for %s', (capability, kind) => {
  const name = capability.toLowerCase().replace('_', '-');
  const validate = ajv.compile(JSON.parse(readFileSync(path.join(packageRoot(), 'contracts', `${name}.inputs.schema.json`), 'utf8')) as object);
  const scopes = new Map<string, SearchScope>(IDS.map((id) => [id, SCOPES[kind]]));

  it('the published schema takes exactly the inputs that the executor takes', { tags: ['SE-18', 'SE-19', 'SE-20', 'SE-23', 'SE-26', 'SE-27'] }, () => {
    let taken = 0;
    fc.assert(
      fc.property(inputs, (generated) => {
        const given = Object.fromEntries(Object.entries(generated).filter(([, value]) => value !== undefined));
        const judged = parseTask({ task_id: 't', capability_id: capability, inputs: given, constraints: {} }, scopes);
        taken += judged.ok ? 1 : 0;
        expect({ given, legal: validate(given) }).toEqual({ given, legal: judged.ok });
      }),
      { numRuns: 400 },
    );
    expect(taken).toBeGreaterThan(0);
  });
});
