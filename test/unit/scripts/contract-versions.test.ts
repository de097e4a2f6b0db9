import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packageRoot } from '../../../config/package.ts';
import { contractFiles } from '../../../scripts/contract-files.ts';
import { breaksOf, contractBreaks } from '../../../scripts/contracts/breaks.ts';
import { narrowing, type Schema } from '../../../scripts/contracts/narrowing.ts';
import { type Direction, VERSIONS } from '../../../scripts/contracts/versions.ts';

const ajv = new Ajv2020({ strict: false });
const directory = path.join(packageRoot(), 'contracts');
const read = (name: string): Schema => JSON.parse(readFileSync(path.join(directory, name), 'utf8')) as Schema;
const published = readdirSync(directory).filter((name) => name.endsWith('.schema.json'));

function schemaOf(schema: z.ZodType, version = 1): Schema {
  return { $id: `urn:writ:thing:${version}`, ...z.toJSONSchema(schema) };
}

const BASE = z.strictObject({ id: z.string().max(10), kind: z.enum(['a', 'b']), size: z.int().min(0).max(9), note: z.string().optional() });

/** A change of BASE, and which directions it breaks. */
const CHANGES: readonly (readonly [string, z.ZodType, readonly Direction[]])[] = [
  ['nothing but a description', BASE.describe('a thing'), []],
  ['a new member that may be left out', BASE.extend({ more: z.string().optional() }), ['emitted', 'both']],
  ['a new member that must be there', BASE.extend({ more: z.string() }), ['accepted', 'emitted', 'both']],
  ['a member less', BASE.omit({ note: true }), ['accepted', 'both']],
  ['a member that may be left out now', BASE.extend({ size: BASE.shape.size.optional() }), ['emitted', 'both']],
  ['a member that must be there now', BASE.extend({ note: z.string() }), ['accepted', 'both']],
  ['a longer text', BASE.extend({ id: z.string().max(20) }), ['emitted', 'both']],
  ['a shorter text', BASE.extend({ id: z.string().max(5) }), ['accepted', 'both']],
  ['one more value', BASE.extend({ kind: z.enum(['a', 'b', 'c']) }), ['emitted', 'both']],
  ['one value less', BASE.extend({ kind: z.literal('a') }), ['accepted', 'both']],
  ['another type', BASE.extend({ id: z.number() }), ['accepted', 'emitted', 'both']],
  ['fractions too', BASE.extend({ size: z.number().min(0).max(9) }), ['emitted', 'both']],
  ['a pattern', BASE.extend({ id: z.string().max(10).regex(/^x/) }), ['accepted', 'both']],
  ['one more choice', BASE.extend({ id: z.union([z.string().max(10), z.null()]) }), ['emitted', 'both']],
  ['any other member', z.looseObject(BASE.shape), ['emitted', 'both']],
];

describe('a change of a published contract', () => {
  it.each(CHANGES)('%s breaks those who rely on what it changes, and no others', (_what, change, broken) => {
    for (const direction of ['accepted', 'emitted', 'both'] as const) {
      const found = breaksOf('thing', direction, schemaOf(BASE), schemaOf(change));
      expect([direction, found.length > 0]).toEqual([direction, broken.includes(direction)]);
    }
  });

  it('that breaks is free under the next number, and no number is taken back', () => {
    const shorter = BASE.extend({ id: z.string().max(5) });
    expect(breaksOf('thing', 'both', schemaOf(BASE), schemaOf(shorter))).toEqual([
      'thing 1 refuses what it took: /id: maxLength is 5; it needs version 2 in scripts/contracts/versions.ts',
    ]);
    expect(breaksOf('thing', 'both', schemaOf(BASE), schemaOf(shorter, 2))).toEqual([]);
    expect(breaksOf('thing', 'both', schemaOf(BASE, 2), schemaOf(BASE))).toEqual(['thing goes back from version 2 to 1']);
  });

  it('is harmless where more types are allowed', () => {
    expect(narrowing({ type: 'integer' }, { type: ['number', 'null'] })).toEqual([]);
    expect(narrowing({ type: ['number', 'null'] }, { type: 'number' })).toEqual([': its type is number']);
  });

  it('is never called harmless when a value that was allowed is not any more', () => {
    const member = fc.oneof(
      fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ type: fc.constantFrom('integer', 'number'), minimum: fc.integer({ min: -2, max: 2 }) }),
      fc.record({ type: fc.subarray(['string', 'integer', 'number', 'null'], { minLength: 1 }) }),
      fc.record({ enum: fc.subarray(['', 'a', 'abcd', 1, -1, null], { minLength: 1 }) }),
    );
    const object = fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(member, fc.record({ anyOf: fc.array(member, { minLength: 1, maxLength: 2 }) }))),
      required: fc.subarray(['a', 'b']),
      additionalProperties: fc.boolean(),
    });
    const value = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', 'a', 'abcd', 1, -1, 0.5, null));
    fc.assert(
      fc.property(object, object, fc.array(value, { minLength: 20, maxLength: 20 }), (before, after, values) => {
        if (narrowing(before, after).length > 0) return;
        const [took, takes] = [ajv.compile(before), ajv.compile(after)];
        for (const one of values) if (took(one)) expect([one, takes(one)]).toEqual([one, true]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the published contracts', () => {
  it('have a number each in their $id, and a direction', () => {
    expect(published.map((name) => name.replace('.schema.json', '')).sort()).toEqual(Object.keys(VERSIONS).sort());
    for (const [name, { version }] of Object.entries(VERSIONS)) expect(read(`${name}.schema.json`)['$id']).toBe(`urn:writ:${name}:${version}`);
  });

  it('are changed by nothing that needs another number', () => {
    expect(contractBreaks(contractFiles())).toEqual([]);
  });

  it('are understood word for word: each can be judged against itself with one member less', () => {
    for (const name of published) {
      const schema = read(name);
      expect(narrowing(schema, schema)).toEqual([]);
      const required = schema['required'] as readonly string[] | undefined;
      if (required === undefined) continue;
      expect(narrowing(schema, { ...schema, required: [] })).toEqual([]);
      expect(narrowing({ ...schema, required: [] }, schema)).toHaveLength(required.length);
    }
  });
});
