import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OfferedManifest, TaskManifest, TaskSubmission } from '../../../src/contracts/index.ts';
import { MAX_PROBLEMS, problemsOf, refusalOf } from '../../../src/core/shape-problems.ts';

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
