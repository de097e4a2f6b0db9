import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as contracts from '../../../src/contracts/index.ts';
import { MessageSubmission, OfferedManifest, TaskManifest, TaskSubmission } from '../../../src/contracts/index.ts';
import { MAX_PROBLEMS, problemsOf, refusalOf } from '../../../src/core/shape-problems.ts';
import { ROUTES } from '../../../src/surfaces/http/routes/table.ts';

const manifest = { task_id: 'a', capability_id: 'FILE_COPY', inputs: {}, constraints: {} };

function told(schema: z.ZodType, value: unknown): Record<string, string> {
  const read = schema.safeParse(value);
  return read.success ? {} : Object.fromEntries(problemsOf(read.error, schema, value).map(({ field, message }) => [field, message]));
}

describe('what is wrong with a document', () => {
  it('is told all at once, each with its field and in our words', () => {
    const wrong = {
      task_id: '../x',
      capability: 'FILE_MOVE',
      capability_id: 'FILE_MVOE',
      inputs: [],
      constraints: { sensitivity: 'low', revrsible: true, scope: '' },
    };
    expect(told(OfferedManifest, wrong)).toEqual({
      task_id: 'must be 1 to 128 of A-Z a-z 0-9 . _ - and start with a letter or digit',
      capability_id:
        "must be one of FILE_MOVE, FILE_COPY, FILE_DELETE, SEARCH_FILES, SEARCH_EMAILS, SEARCH_DATASETS, CONTENT_SEARCH, TOOL_CALL; did you mean 'FILE_MOVE'?",
      inputs: 'must be an object',
      'constraints.scope': 'must have at least 1 characters',
      'constraints.sensitivity': "must be one of LOW, MEDIUM, HIGH; did you mean 'LOW'?",
      'constraints.revrsible': "is not known here; did you mean 'reversible'? (known: scope, reversible, sensitivity, hrc_required)",
      capability: "is not known here; did you mean 'capability_id'? (known: task_id, capability_id, inputs, constraints, provenance)",
    });
  });

  it('says what is missing, at every depth', () => {
    expect(told(TaskSubmission, { v: 1, manifest: { task_id: 'a' } })).toEqual({
      'manifest.capability_id': 'is missing',
      'manifest.inputs': 'is missing',
      'manifest.constraints': 'is missing',
    });
    expect(told(TaskSubmission, 3)).toEqual({ '': 'must be an object' });
  });

  it('guesses nothing where no word is near', () => {
    expect(told(OfferedManifest, { ...manifest, capability_id: 'SHRED' })['capability_id']).not.toContain('did you mean');
    expect(told(OfferedManifest, { ...manifest, colour: 1 })['colour']).toBe(
      'is not known here (known: task_id, capability_id, inputs, constraints, provenance)',
    );
  });

  it('leaves an unknown capability to the executor where a job comes from the raw queue', { tags: ['FE-06'] }, () => {
    expect(told(TaskManifest, { ...manifest, capability_id: 'SHRED' })).toEqual({});
  });

  it('is bounded in number and length, and writes nothing on a terminal', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${'k'.repeat(5000)}\u001b[2J${index}`, 1]));
    const short = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`\u001b[2J${index}`, 1]));
    for (const extra of [many, short]) {
      const read = OfferedManifest.safeParse({ ...manifest, ...extra });
      const problems = read.success ? [] : problemsOf(read.error, OfferedManifest, { ...manifest, ...extra });
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.length).toBeLessThanOrEqual(MAX_PROBLEMS);
      expect(JSON.stringify(problems).length).toBeLessThan(MAX_PROBLEMS * 700);
      expect(problems.map(({ field, message }) => field + message).join('')).not.toContain('\u001b');
    }
  });

  it('is that of the form that is nearest where there are several', () => {
    const either = z.union([z.strictObject({ manifest: TaskManifest, TaskSubmission }), z.strictObject({ envelope: z.string(), ttl: z.int().max(9) })]);
    expect(told(either, { envelope: 'x', ttl: 10, ttll: 1 })).toEqual({
      ttl: 'must be at most 9',
      ttll: "is not known here; did you mean 'ttl'? (known: envelope, ttl)",
    });
  });

  it('is an error with code, field and sentence of the first, and the others beside it', () => {
    const error = refusalOf(
      'INVALID_MANIFEST',
      [
        { field: 'a', message: 'is missing' },
        { field: 'b', message: 'is missing' },
      ],
      'the body',
    );
    expect(error).toMatchObject({ code: 'INVALID_MANIFEST', field: 'a', message: 'a: is missing (and 1 more)', problems: { length: 2 } });
  });
});

describe('what is wrong with an operation in a list', () => {
  const mail = { op: 'message', project: 'web', key: 'k' };
  const ofOp = (op: object): Record<string, string> => told(MessageSubmission, { ops: [mail, op] });

  it.each([
    [{ ...mail, op: 'mesage' }, { 'ops.1.op': expect.stringMatching(/^must be one of message, delete, .*; did you mean 'message'\?$/) }],
    [{ project: 'web', key: 'k' }, { 'ops.1.op': 'is missing' }],
    [{ ...mail, importance: 'HIGH' }, { 'ops.1.importance': "must be one of low, normal, high, urgent; did you mean 'high'?" }],
    [{ ...mail, to: 'B' }, { 'ops.1.to': 'must be a list' }],
    [{ ...mail, to: ['A', 5] }, { 'ops.1.to.1': 'must be a text or an object' }],
    [
      { ...mail, to: [{ nme: 'B' }] },
      { 'ops.1.to.0.name': 'is missing', 'ops.1.to.0.nme': expect.stringContaining("did you mean 'name'?") },
    ],
    [{ ...mail, from: '' }, { 'ops.1.from': 'must not be blank' }],
    [
      { ...mail, subject: 5, body: 'x' },
      { 'ops.1.subject': 'must be a text', 'ops.1.body': expect.stringContaining('is not known here') },
    ],
    [{ ...mail, created_ts: '2026-11-28T10:00:00Z' }, { 'ops.1.created_ts': 'must be a number' }],
    [{ op: 'delete', project: 'web' }, { 'ops.1.key': 'is missing' }],
    [{ op: 'delete', id: 0 }, { 'ops.1.id': 'must be at least 1' }],
    [3, { 'ops.1': 'must be an object' }],
  ])('is told of it, not of every other kind: %j', (op, problems) => expect(ofOp(op as object)).toEqual(problems));

  it('is told of each of them', () => {
    expect(told(MessageSubmission, { ops: [{ op: 'x' }, mail, { ...mail, subject: 1 }] })).toEqual({
      'ops.0.op': expect.any(String),
      'ops.2.subject': 'must be a text',
    });
  });
});

/** Every union in the contracts and in the bodies of routes, by where it was found first. */
function unionsIn(schemas: Iterable<readonly [string, unknown]>): ReadonlyMap<z.ZodType, string> {
  const found = new Map<z.ZodType, string>();
  const seen = new Set<unknown>();
  const look = (value: unknown, where: string): void => {
    if (!(value instanceof z.ZodType) || seen.has(value)) return;
    seen.add(value);
    if (value instanceof z.ZodUnion) found.set(value, where);
    const { def } = value;
    for (const [key, part] of Object.entries(def)) for (const one of Array.isArray(part) ? part : [part]) look(one, `${where}.${key}`);
    if (value instanceof z.ZodObject) for (const [key, part] of Object.entries(value.shape)) look(part, `${where}.${key}`);
    if (value instanceof z.ZodLazy) look(value.unwrap(), where);
  };
  for (const [name, schema] of schemas) look(schema, name);
  return found;
}

describe('a value that has one of several forms', () => {
  const bodies = ROUTES.flatMap(({ operation, body }): [string, unknown][] => (body === undefined ? [] : [[operation, body]]));
  const unions = unionsIn([...Object.entries(contracts), ...bodies]);
  const PROBES = [5, 'x', '', true, null, [], [3], {}, { strange: 1 }, { op: 'x' }, { mode: 'x' }, { op: 'message', to: [{}] }];

  it('is never said to be nothing that belongs here, in no contract and no body', () => {
    expect(unions.size).toBeGreaterThan(10);
    const dull = [...unions].flatMap(([union, where]) =>
      PROBES.flatMap((probe) =>
        Object.entries(told(z.strictObject({ in: z.array(union) }), { in: [probe] })).map(([field, message]) => ({ where, probe, field, message })),
      ),
    );
    expect(dull.filter(({ message }) => message === 'is not what belongs here')).toEqual([]);
    expect(dull.every(({ field }) => field.startsWith('in.0'))).toBe(true);
  });
});
