import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packageRoot } from '../../../config/package.ts';
import { contractFiles, PUBLISHED } from '../../../scripts/contract-files.ts';
import * as contracts from '../../../src/contracts/index.ts';
import { NAMED } from '../../../src/surfaces/http/openapi/schemas.ts';
import { MESSAGE_SAMPLES } from '../../support/message-samples.ts';
import { cases } from '../../support/oracle-runs.ts';
import { PLAN_SAMPLES } from '../../support/plan-samples.ts';

/** A valid sample of each contract; mutations of it lie close to the border between legal and illegal. */
const TASK_ID = 'task-1';
const SHA = 'a'.repeat(64);
const MANIFEST = {
  task_id: TASK_ID,
  capability_id: 'FILE_MOVE',
  inputs: { source_path: '/a', destination_path: '/b' },
  constraints: { scope: '/a', reversible: true, sensitivity: 'LOW', hrc_required: false },
  provenance: { ast_hash: 'x', undo_of: 'task-0', plan_sha256: SHA, step: '1' },
};
const SEARCH_INPUTS = { query: 'invoice', target_scope: 'inbox', max_results: 20 };
const searchOutput = (capability_id: string, match_field: string) => ({
  task_id: TASK_ID,
  capability_id,
  target_scope: 'inbox',
  results: [{ id: 'a/b', match_field, match_snippet: 'an invoice' }],
  count: 2,
  truncated: true,
});
const SAMPLES: Readonly<Record<keyof typeof PUBLISHED, readonly object[]>> = {
  'task-manifest': [MANIFEST],
  'task-job': [{ v: 1, manifest: MANIFEST, lease: 'a.b.c', traceparent: '00-1-2-00' }],
  'execution-result': [
    { status: 'SUCCESS', output: { task_id: TASK_ID }, error: null, signature: 'a..b' },
    { status: 'FAILURE', output: null, error: { error_code: 'EXECUTION_FAILED', message: 'no' }, signature: 'a..b' },
  ],
  'lease-payload': [{ v: 1, iss: 'k', aud: 'file', jti: 'j', task_id: TASK_ID, capability_id: 'FILE_MOVE', manifest_sha256: SHA, iat: 1, exp: 2 }],
  'revocation-payload': [{ v: 1, n: 1, jti: 'j', exp: 2, at: 1 }],
  'token-header': [{ alg: 'EdDSA', typ: 'writ-lease+jws', kid: 'k1' }],
  'search-files.inputs': [SEARCH_INPUTS],
  'search-emails.inputs': [SEARCH_INPUTS],
  'search-datasets.inputs': [SEARCH_INPUTS],
  'search-files.output': [searchOutput('SEARCH_FILES', 'filename')],
  'search-emails.output': [searchOutput('SEARCH_EMAILS', 'subject')],
  'search-datasets.output': [searchOutput('SEARCH_DATASETS', 'name')],
  'content-search.request': [
    { pattern: 'x' },
    {
      pattern: 'a b',
      path: 'src',
      case: 'sensitive',
      fixed_strings: true,
      word_regexp: false,
      hidden: true,
      follow: false,
      no_ignore: true,
      glob: ['*.ts', '!dist/**'],
      context: 2,
      max_results: 20,
      timeout_ms: 1000,
      fuzzy: 1,
    },
  ],
  'content-search.answer': [
    {
      pattern: 'x',
      path: '.',
      count: 1,
      matches: [{ type: 'match', data: { path: { text: 'a.txt' }, line_number: 1, lines: { text: 'x' } } }],
      truncated: false,
      timed_out: false,
      exit_code: 0,
      content: 'a.txt\n1:x\n',
    },
  ],
  'tool-call.inputs': [{ tool: 'crm.contacts', operation: 'add', params: { name: 'Ada' } }],
  'tool-call.output': [{ data: { id: 1 } }, { data: {}, meta: { status: 204 } }],
  'approval.inputs': [{ role: 'approve', question: 'Shall it?', deadline_s: 60 }],
  'undo.param': [{ task_id: 's-1', success: '{}' }],
  'tool-binding': [
    { tool: 'writ.file', adapter: 'writ' },
    {
      tool: 'crm.contacts',
      adapter: 'http',
      provider: 'crm',
      concurrency: 4,
      timeout_ms: 1000,
      http: { hosts: ['crm.example'], allow: ['10.0.0.0/8'], response_max_bytes: 4096, secrets: { key: 'env:CRM_KEY' }, ca_file: '/etc/ca.pem' },
      actions: {
        add: {
          effect: 'once',
          request: {
            method: 'POST',
            url: 'https://crm.example/c',
            query: { a: 'b' },
            headers: { 'X-Key': '{{secrets.key}}' },
            body: { name: '{{params.name}}' },
          },
          response: { data: 'contact' },
        },
      },
    },
    {
      tool: 'docs',
      adapter: 'mcp',
      mcp: { command: '/bin/server', args: ['stdio'], env: { KEY: 'x' }, cwd: '/' },
      actions: { echo: { effect: 'none', name: 'echo' } },
    },
    { tool: 'docs', adapter: 'mcp', mcp: { url: 'https://mcp.example/mcp', headers: { A: 'b' }, allow: [] }, actions: {} },
  ],
  ...MESSAGE_SAMPLES,
  ...PLAN_SAMPLES,
};

type Path = readonly string[];

/** Every place in a sample, the root left out. */
function pathsOf(value: unknown, prefix: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...prefix, key], ...pathsOf(inner, [...prefix, key])]);
}

/** A copy with one place replaced, or removed when `to` is undefined. */
function change(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return to;
  const entries = Object.entries(value).map(([name, inner]) => [name, name === key ? change(inner, rest, to) : inner] as const);
  if (!(key in value)) entries.push([key, to]);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

/** Lengths around all limits; characters of one UTF-16 unit, on whose count both agree. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'Z', '0', '.', '-', '_', ' ', '/', '\n', '\u0000', 'ä', '\u2028'), maxLength: 6 }),
  fc
    .tuple(fc.constantFrom('a', '0', 'F', 'ä'), fc.constantFrom(0, 1, 63, 64, 65, 127, 128, 129, 256, 257, 1024, 1025, 2000, 2001, 4096, 4097))
    .map(([unit, n]) => unit.repeat(n)),
);
const number = fc.constantFrom(0, 1, -1, 1.5, 2, -0, 253402300799, 253402300800, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e300);
const word = fc.constantFrom(
  'FILE_MOVE',
  'LOW',
  'SUCCESS',
  'FAILURE',
  'EXECUTION_FAILED',
  'EdDSA',
  'none',
  'fallback',
  'stop',
  'tool',
  'all',
  '2026-02-29',
  '2024-02-29',
  '2026-01-01T00:00:00Z',
  SHA,
  TASK_ID,
);
const value = fc.oneof(
  text,
  number,
  word,
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.constant([]),
  fc.constant({}),
  fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }),
);

// What a format means is also written as a pattern.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });

describe.each(Object.entries(PUBLISHED))('%s', (name, schema: z.ZodType) => {
  const validate = ajv.compile(JSON.parse(readFileSync(path.join(packageRoot(), 'contracts', `${name}.schema.json`), 'utf8')) as object);
  const samples = SAMPLES[name as keyof typeof PUBLISHED];

  it('the published schema and ours accept the samples', () => {
    for (const sample of samples) expect([validate(sample), schema.safeParse(sample).success]).toEqual([true, true]);
  });

  it('the published schema and ours agree on samples with one to three places changed', () => {
    const places = samples.flatMap((sample) => [...pathsOf(sample), ['extra'], ...pathsOf(sample).map((place) => [...place, 'extra'])]);
    const mutation = fc.tuple(fc.constantFrom(...places), value);
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.array(mutation, { minLength: 1, maxLength: 3 }), (sample, mutations) => {
        const mutant = mutations.reduce<unknown>((changed, [place, to]) => change(changed, place, to), sample);
        expect({ mutant, legal: validate(mutant) }).toEqual({ mutant, legal: schema.safeParse(mutant).success });
      }),
      { numRuns: cases(500) },
    );
  });

  it('what ours accepts, the published schema accepts, also with characters of two UTF-16 units', () => {
    // JSON Schema counts code points, zod counts UTF-16 units: ours is the narrower one.
    const astral = fc.constantFrom(1, 32, 33, 64, 65, 128, 129, 2000, 4096).map((n) => '\u{1F4C4}'.repeat(n));
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.constantFrom(...samples.flatMap((sample) => pathsOf(sample))), astral, (sample, place, to) => {
        const mutant = change(sample, place, to);
        if (schema.safeParse(mutant).success) expect(validate(mutant)).toBe(true);
      }),
    );
  });
});

/** A schema and all that it is made of. */
function* withParts(schema: unknown): Generator<unknown> {
  yield schema;
  for (const part of partsOf(schema)) yield* withParts(part);
}

function partsOf(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape);
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return [schema.unwrap()];
  return [];
}

describe('contracts/', () => {
  it('publishes every contract that is an object of its own, as a file or in the OpenAPI document', () => {
    const published = new Set([...Object.values(PUBLISHED), ...Object.values(NAMED)].flatMap((schema) => [...withParts(schema)]));
    const objects = Object.entries(contracts).filter(([, schema]) => schema instanceof z.ZodObject || schema instanceof z.ZodDiscriminatedUnion);
    expect(objects.filter(([, schema]) => !published.has(schema)).map(([exported]) => exported)).toEqual([]);
  });

  it('holds what the contracts say', () => {
    for (const { path: name, content } of contractFiles()) expect(readFileSync(path.join(packageRoot(), name), 'utf8')).toBe(content);
  });
});
