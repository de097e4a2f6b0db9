import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openJournalEngine } from '../../../../../src/adapters/sqlite/journal/journal-engine.ts';
import type { JournalReply, JournalRequest } from '../../../../../src/adapters/sqlite/journal/journal-requests.ts';
import type { JournalView } from '../../../../../src/core/ports/journal.ts';
import { type Expected, JournalModel, type Step } from './journal-model.ts';

const root = fc.integer({ min: 0, max: 2 });
const pick = fc.nat(20);
const bytes = fc.integer({ min: 0, max: 45 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete'), root, bytes }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('undo'), pick, bytes }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('end'), pick, success: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('adopt'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('seal'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge'), root }) },
);

type Run = (requests: readonly JournalRequest[]) => readonly JournalReply[];

function ask(run: Run, request: JournalRequest): unknown {
  const [reply] = run([request]);
  if (reply?.ok !== true) throw new Error(`a read was refused: ${JSON.stringify(reply)}`);
  return reply.answer;
}

function compare(model: JournalModel, run: Run): void {
  for (const task of model.all()) {
    const view = ask(run, { op: 'view', args: [task.id] }) as JournalView;
    expect(view.attempts, task.id).toBe(task.attempts);
    expect(view.open?.process.instance, task.id).toBe(task.state === 'open' ? task.instance : undefined);
    expect(view.success?.result, task.id).toBe(task.state === 'success' ? `result of ${task.id}` : undefined);
    expect(view.success?.undoneBy, task.id).toBe(model.undoneBy(task.id));
  }
  const counts = { open: model.all('open').length, success: model.all('success').length, failure: model.failures, incidents: 0 };
  expect(ask(run, { op: 'counts', args: [] })).toEqual(counts);
  const [usage] = ask(run, { op: 'vaultUsage', args: [] }) as { bytes: number; files: number }[];
  expect({ bytes: usage?.bytes ?? 0, files: usage?.files ?? 0 }).toEqual(model.usage());
  const entries = ask(run, { op: 'vaultEntries', args: [{}, undefined, 99] }) as { bytes: number; name: string }[];
  expect(new Map(entries.map((entry) => [entry.name, entry.bytes]))).toEqual(new Map([...model.kept].map(([at, size]) => [`file-${at}`, size])));
}

const outcomeOf = (reply: JournalReply): unknown => (reply.ok ? reply.answer : reply.code);

describe('any history of the journal', () => {
  it('answers as the plain model does, however it is cut into batches', { tags: ['FE-37'] }, () => {
    fc.assert(
      fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 12 }), (batches) => {
        const { db, run } = openJournalEngine(':memory:');
        const model = new JournalModel();
        for (const steps of batches) {
          const expected = steps.map((one) => model.take(one)).filter((one): one is Expected => one !== undefined);
          const replies = run(expected.map(({ request }) => request));
          expect(replies.map(outcomeOf)).toEqual(expected.map(({ reply }) => reply));
          compare(model, run);
        }
        db.close();
      }),
      { numRuns: 100 },
    );
  });
});
