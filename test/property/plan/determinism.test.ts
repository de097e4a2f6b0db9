import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { Result, ResultEnvelope, ToolInput } from '../../../src/contracts/index.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { PlanCall, PlanDone } from '../../../src/core/ports/plan.ts';
import { advance, describePlan, linkPlan, replay, startPlan, toResult } from '../../../src/executors/plan/index.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { cases } from '../../support/oracle-runs.ts';
import { deepFreeze } from '../../support/plan-core.ts';
import { answerOf, finish, plans, reordered } from '../../support/plan-random.ts';

const RUNS = { numRuns: cases(40) };
const endOf = (envelope: unknown): string => canonicalJson(finish(startPlan(envelope)).envelope);

/** All answers of a run, by path. */
function journalOf(envelope: unknown): { readonly journal: ReadonlyMap<string, unknown>; readonly calls: readonly PlanCall[]; readonly done: PlanDone } {
  const run = startPlan(envelope);
  const journal = new Map<string, unknown>();
  const calls: PlanCall[] = [];
  for (let state = run.current; state.kind === 'call'; state = run.feed(journal.get(state.path))) {
    calls.push(state);
    expect(journal.has(state.path)).toBe(false);
    journal.set(state.path, answerOf(state));
  }
  return { journal, calls, done: run.current as PlanDone };
}

describe('a plan at random', () => {
  it('ends the same whenever it is run, and whatever the order of its keys', { tags: ['PE-42', 'PE-44', 'PE-59'] }, () => {
    fc.assert(
      fc.property(plans, (envelope) => {
        const end = endOf(envelope);
        expect(endOf(envelope)).toBe(end);
        expect(endOf(reordered(envelope))).toBe(end);
      }),
      RUNS,
    );
  });

  it('goes on from any prefix of its journal as if it had never stopped', { tags: ['PE-44', 'PE-49'] }, () => {
    fc.assert(
      fc.property(plans, fc.nat(), (envelope, cut) => {
        const { journal, done } = journalOf(envelope);
        const known = new Map([...journal].slice(0, cut % (journal.size + 1)));
        const { run, unreached } = replay(envelope, known);
        expect(unreached).toEqual([]);
        expect(canonicalJson(finish(run).envelope)).toBe(canonicalJson(done.envelope));
        expect(advance(envelope, journal)).toEqual(done);
        // The order of a journal does not matter.
        expect(advance(envelope, new Map([...journal].reverse()))).toEqual(done);
      }),
      RUNS,
    );
  });

  it('is never changed by running or linking it', { tags: ['PE-38'] }, () => {
    fc.assert(
      fc.property(plans, (envelope) => {
        const before = canonicalJson(envelope);
        deepFreeze(envelope);
        finish(startPlan(envelope));
        linkPlan(envelope, () => undefined);
        describePlan(envelope);
        expect(canonicalJson(envelope)).toBe(before);
      }),
      RUNS,
    );
  });

  it('succeeds exactly if it has no error, and always has a result', { tags: ['PE-16', 'PE-54', 'PE-55', 'PE-56'] }, () => {
    fc.assert(
      fc.property(plans, (envelope) => {
        const done = finish(startPlan(envelope));
        const result = toResult(done.envelope);
        expect(ResultEnvelope.safeParse(done.envelope).error).toBeUndefined();
        expect(Result.safeParse(result).success).toBe(true);
        expect([result['success'], done.error === null]).toEqual([done.envelope['error'] === null, done.envelope['error'] === null]);
      }),
      RUNS,
    );
  });

  it('has its results in the order of its steps, one for every call, and every call as the contract says', {
    tags: ['PE-33', 'PE-35', 'PE-58', 'PE-64'],
  }, () => {
    fc.assert(
      fc.property(plans, (envelope) => {
        const { calls, done } = journalOf(envelope);
        const { results } = done.envelope['output'] as { results: JsonObject[] };
        const ordinals = results.map(({ stepId }) => Number(String(stepId).split('-')[0]));
        expect(ordinals).toEqual([...new Set(ordinals)].sort((a, b) => a - b));
        const ids = results.map(({ stepId }) => stepId);
        expect(calls.every(({ toolInput }) => ids.includes(toolInput.stepId) && ToolInput.safeParse(toolInput).success)).toBe(true);
        expect(JSON.stringify(done.envelope['output'] as JsonObject)).not.toContain('"_locals"');
      }),
      RUNS,
    );
  });

  it('linked once is linked for ever, and runs as it did before', () => {
    fc.assert(
      fc.property(plans, (envelope) => {
        const first = linkPlan(envelope, () => undefined);
        if (!first.ok) {
          // A plan that cannot end well is refused when it is linked, and ends so or earlier where nobody has linked it.
          const ended = first.code === 'MAX_STEPS_EXCEEDED' ? finish(startPlan(envelope)) : startPlan(envelope).current;
          expect(ended).toMatchObject({ error: first.code === 'MAX_STEPS_EXCEEDED' ? {} : { code: first.code } });
          return;
        }
        expect(linkPlan(first.envelope, () => undefined)).toEqual(first);
        expect(linkPlan(reordered(envelope), () => undefined)).toEqual(first);
        expect(linkPlan(JSON.parse(JSON.stringify(first.envelope)), () => undefined)).toEqual(first);
        expect(endOf(first.envelope)).toBe(endOf(envelope));
      }),
      RUNS,
    );
  });

  it('takes only paths that its description has', () => {
    fc.assert(
      fc.property(plans, (envelope) => {
        const described = describePlan(envelope);
        const known = new Set(described.ok ? described.steps.map(({ path: one }) => one) : []);
        for (const { path: one } of journalOf(envelope).calls) expect(known).toContain(one.replaceAll(/#[0-9]+/g, '#*'));
      }),
      RUNS,
    );
  });

  it('ends the same in other processes, with another locale and time zone', { tags: ['PE-44', 'PE-59'] }, () => {
    const envelopes = fc.sample(plans, { numRuns: 60, seed: 7 });
    const expected = envelopes.map((envelope) => {
      const linked = linkPlan(envelope, () => undefined);
      return [endOf(envelope), linked.ok ? linked.planSha256 : linked.code];
    });
    for (const places of [
      { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
      { LC_ALL: 'C', TZ: 'America/St_Johns' },
    ]) {
      const child = new URL('run-plan-child.ts', import.meta.url);
      const input = JSON.stringify(envelopes.map(reordered));
      const output = execFileSync(process.execPath, scriptArgs(child), {
        cwd: packageRoot(),
        input,
        encoding: 'utf8',
        env: { ...process.env, ...places },
      });
      expect(JSON.parse(output)).toEqual(expected);
    }
  });
});

describe('anything at all', () => {
  it('ends with a result envelope, never with an exception', { tags: ['PE-16', 'PE-54'] }, () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }), fc.jsonValue()),
        (input) => {
          const { current } = startPlan(input);
          expect(current.kind).toBe('done');
          expect(ResultEnvelope.safeParse((current as PlanDone).envelope).error).toBeUndefined();
          expect(linkPlan(input, () => undefined).ok).toBe(false);
        },
      ),
      { numRuns: cases(200) },
    );
  });

  it('in place of one part of a plan, ends with a result envelope, too', { tags: ['PE-54'] }, () => {
    const places = (value: unknown, prefix: readonly string[] = []): (readonly string[])[] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.entries(value).flatMap(([key, inner]) => [[...prefix, key], ...places(inner, [...prefix, key])]);
    const put = (value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown => {
      if (key === undefined || typeof value !== 'object' || value === null) return to;
      const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, name === key ? put(inner, rest, to) : inner]);
      return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
    };
    const part = fc.oneof(fc.anything(), fc.constantFrom('{{', 'memory.state.x', '$.data', 'fallback', 'usecase', 'c0', -1, 2 ** 53));
    fc.assert(
      fc.property(plans, fc.nat(), part, (envelope, pick, to) => {
        const all = places(envelope);
        const mutant = put(envelope, all[pick % all.length] ?? [], to);
        const done = finish(startPlan(mutant));
        expect(ResultEnvelope.safeParse(done.envelope).error).toBeUndefined();
        expect(() => canonicalJson(done.envelope)).not.toThrow();
      }),
      { numRuns: cases(120) },
    );
  });
});
