import { describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { MAX_PLAN_BYTES } from '../../../queues/catalog.ts';
import { MAX_VALUE_BYTES } from '../../../src/adapters/redis/policy.ts';
import { BOUNDS, CONTENT_ANSWER_MAX_BYTES, MAX_JOB_BYTES } from '../../../src/contracts/index.ts';
import { MAX_RESULT_BYTES as LEDGER_BYTES } from '../../../src/core/ledger-life.ts';
import { LIMITS } from '../../../src/executors/plan/limits.ts';
import { MAX_PLAN_END_BYTES } from '../../../src/lease/plan-end.ts';
import { MAX_RESULT_BYTES as VERIFIED_BYTES } from '../../../src/lease/result.ts';
import { linesOf } from '../../../src/surfaces/client/lines.ts';
import { MAX_ITEM_BYTES } from '../../../src/surfaces/shared/input/raw-item.ts';

const KIB = 1024;
/** What is put around a document: field names, braces, ids, a signature with its header. */
const AROUND = KIB;
/** JSON text as a string in JSON: each quote and backslash of it takes two. */
const QUOTED = 2;

/** What one layer lets through, at most, and what the next one takes. */
const ORDER: readonly (readonly [from: string, lets: number, to: string, takes: number])[] = [
  ['the answer of a tool, as it is read', BOUNDS.toolResponse + AROUND, 'an output', BOUNDS.output],
  ['an output, signed', BOUNDS.output + AROUND, 'a result', BOUNDS.result],
  ['a result', BOUNDS.result, 'a row of the ledger', LEDGER_BYTES],
  ['a row of the ledger', LEDGER_BYTES, 'the check of a result', VERIFIED_BYTES],
  ['a row of the ledger', LEDGER_BYTES, 'the answer to a step', LIMITS.toolResult.bytes],
  // `0,` is the smallest value.
  ['values in a row of the ledger', LEDGER_BYTES / 2, 'values in the answer to a step', LIMITS.toolResult.nodes],
  ['the answer to a step, saved', LIMITS.toolResult.bytes, 'the memory of a plan', LIMITS.memory.bytes],
  ['the answer to a step', LIMITS.toolResult.bytes, 'the results of a plan', LIMITS.output.bytes],
  [
    'results, memory, header and registry of a plan',
    LIMITS.output.bytes + LIMITS.memory.bytes + 2 * MAX_PLAN_BYTES + AROUND,
    'the end of a plan',
    MAX_PLAN_END_BYTES,
  ],
  ['the end of a plan', MAX_PLAN_END_BYTES, 'a value in Redis', MAX_VALUE_BYTES],
  ['the job of a plan, moved by a script', MAX_PLAN_BYTES + AROUND, 'a value in Redis', MAX_VALUE_BYTES],
  ['a result in a request to the kernel', QUOTED * LEDGER_BYTES + BOUNDS.manifest + AROUND, 'a request to the kernel', BOUNDS.kernelBody],
  [
    'a plan with all its answers',
    MAX_PLAN_BYTES + QUOTED * (LIMITS.output.bytes + LIMITS.toolResult.bytes + 1000 * AROUND),
    'a request for the lease of a step',
    BOUNDS.deriveBody,
  ],
  ['a result in a line', LEDGER_BYTES + AROUND, 'a line that the client reads', 4 * KIB * KIB],
  ['a manifest with its lease', BOUNDS.manifest + BOUNDS.lease + AROUND, 'the job of a task', MAX_JOB_BYTES],
  ['a step', BOUNDS.manifest, 'a manifest', BOUNDS.manifest],
  ['the job of a task', MAX_JOB_BYTES, 'an item of a push', MAX_ITEM_BYTES],
  ['the job of a task', MAX_JOB_BYTES, 'a body over HTTP', ConfigSchema.parse({}).http.max_body_bytes],
  ['the lease of a plan', BOUNDS.planLease + AROUND, 'the job of a plan', MAX_PLAN_BYTES],
  ['the job of a plan', MAX_PLAN_BYTES, 'an envelope that is read', LIMITS.envelope.bytes],
  ['the job of a plan', MAX_PLAN_BYTES, 'a request to the kernel', BOUNDS.kernelBody],
];

describe('the bounds of documents', () => {
  it.each(ORDER)('let %s (%i bytes) into %s (%i bytes)', (_from, lets, _to, takes) => {
    expect(lets).toBeLessThanOrEqual(takes);
  });

  it('are those of the places where they are judged', () => {
    expect({
      result: LEDGER_BYTES,
      readResult: VERIFIED_BYTES,
      job: MAX_JOB_BYTES,
      item: MAX_ITEM_BYTES,
      planJob: MAX_PLAN_BYTES,
      planEnd: MAX_PLAN_END_BYTES,
      stepResult: LIMITS.toolResult.bytes,
      planOutput: LIMITS.output.bytes,
      planMemory: LIMITS.memory.bytes,
    }).toEqual(Object.fromEntries(JUDGED.map((name) => [name, BOUNDS[name]])));
  });

  it('are larger before than behind where one may choose: what is too much there is answered with a code', () => {
    // In test/unit/executors: tool/execute, content/index, search/executor; test/integration/plan: large-answers.
    expect(BOUNDS.toolResponseMost).toBeGreaterThan(BOUNDS.output);
    expect(CONTENT_ANSWER_MAX_BYTES).toBeGreaterThan(BOUNDS.output);
    expect(LIMITS.params.bytes).toBeGreaterThan(BOUNDS.manifest);
  });

  it('of a line that the client reads are as the table says', async () => {
    const line = async (bytes: number): Promise<number> => {
      async function* chunks(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(bytes).fill(97);
        yield new Uint8Array([10]);
      }
      let longest = 0;
      for await (const text of linesOf(chunks())) longest = Math.max(longest, text.length);
      return longest;
    };
    expect(await line(LEDGER_BYTES + AROUND)).toBe(LEDGER_BYTES + AROUND);
    await expect(line(4 * KIB * KIB + 1)).rejects.toThrow('a line without an end');
  });
});

const JUDGED = ['result', 'readResult', 'job', 'item', 'planJob', 'planEnd', 'stepResult', 'planOutput', 'planMemory'] as const;
