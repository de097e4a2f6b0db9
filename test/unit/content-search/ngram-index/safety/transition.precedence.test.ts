import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { DISABLED_REASONS, UNCERTAIN_REASONS } from '../../../../../src/content-search/ngram-index/safety/states.ts';
import { transition } from '../../../../../src/content-search/ngram-index/safety/transition.ts';
import type { Trigger } from '../../../../../src/content-search/ngram-index/safety/triggers.ts';
import { TRIGGER_CLASSES } from '../../../../../src/content-search/ngram-index/safety/triggers.ts';
import type { IndexSafety } from '../../../../../src/core/ports/index.ts';
import { EXPECTED } from '../../../../fixtures/index-safety/expected.ts';
import { KINDS, RECORDS, STATES, trigger, uncertain } from './cases.ts';

/** As the text has it, by hand. */
const SEVERITY = 'DISABLED > CORRUPT > UNCERTAIN > BUILDING > ABSENT > COMPLETE'.split(' > ');
const APPENDIX_D =
  'OPEN_REQUIRES_VALIDATION WATCHER_OVERFLOW WATCHER_DOWN ELIGIBILITY_CHANGED POLICY_CHANGED DIRTY_BACKLOG RENAME_UNCERTAIN ENUMERATION_ERROR BUILD_BUDGET_EXCEEDED MAINT_BUDGET_EXCEEDED WATCHER_OVERFLOW_DURING_BUILD';

const runs = inject('caseFactor') * 300;
const state = fc.constantFrom(...STATES);
const triggers = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    since: fc.integer({ min: 3, max: 12 }),
    hidingErrors: fc.integer({ min: 0, max: 1 }),
    nowMs: fc.constantFrom(999, 1000),
    pause: fc.option(fc.constantFrom(5_000, 9_000)),
  })
  .map(({ kind, pause, ...rest }) => trigger(kind, { ...rest, disabledUntilMs: pause }));
const history = fc.array(fc.array(triggers, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
/** Triggers of which the marks fit better than by chance. */
const lived = fc.tuple(state, history).map(([from, steps]) => steps.reduce((safety, step) => transition(safety, aimed(safety, step)).next, RECORDS[from]));

/** Passes end as those that run, every second time. */
function aimed(safety: IndexSafety, step: readonly Trigger[]): Trigger[] {
  return step.map((one) => ('since' in one && one.since % 2 === 0 ? { ...one, since: safety.building ?? safety.mark } : one));
}

const permuted = <T>(items: readonly T[]): T[] => [...items.slice(2), ...items.slice(0, 2)].reverse();
const single = (before: IndexSafety, one: Trigger): IndexSafety => transition(before, [one]).next;

describe('simultaneous triggers', () => {
  it('resolve to the most severe state that one of them leads to', { tags: ['LSI-P1', 'T-LSI-SAFE-04'] }, () => {
    const told = table();
    for (const from of STATES) {
      for (const a of KINDS) {
        for (const b of KINDS) {
          const proposals = [told(a, from), told(b, from)].filter((next) => next !== undefined);
          const expected = SEVERITY.find((name) => proposals.includes(name)) ?? from;
          const { next } = transition(RECORDS[from], [trigger(a), trigger(b)]);
          expect(next.state, `${from}: ${a} + ${b}`).toBe(expected);
        }
      }
    }
  });

  it('mean the same in whatever order they come', { tags: ['LSI-P2.1'] }, () => {
    fc.assert(
      fc.property(lived, fc.array(triggers, { maxLength: 6 }), (safety, step) => {
        expect(transition(safety, permuted(step))).toEqual(transition(safety, step));
      }),
      { numRuns: runs },
    );
  });

  it('mean the same also when two of a kind fit different rows', { tags: ['LSI-P2.1'] }, () => {
    const disabled: IndexSafety = { ...RECORDS.DISABLED, reason: 'MEMORY_BUDGET_EXCEEDED', disabledUntilMs: 1_000 };
    const checks: Trigger[] = [1_000, 999].map((nowMs) => ({ kind: 'COOLDOWN_CHECKED', nowMs }));
    expect(transition(disabled, checks.toReversed())).toEqual(transition(disabled, checks));
  });

  it('have the eight classes of the text, in this order', { tags: ['LSI-P2.2', 'LSI-P2.3', 'LSI-P2.4', 'LSI-P2.5'] }, () => {
    const of = (n: number): string[] => KINDS.filter((kind) => TRIGGER_CLASSES[kind] === n);
    expect(KINDS.map((kind) => TRIGGER_CLASSES[kind])).toEqual(KINDS.map((kind) => TRIGGER_CLASSES[kind]).sort());
    expect(of(1)).toEqual([]);
    expect(of(2)).toEqual(['INTEGRITY_FAILED']);
    expect(of(3)).toEqual(['MISMATCH']);
    const errors = ['ENUMERATION_ERROR', 'RECONCILE_HIDING_ERRORS'];
    expect(of(4)).toEqual(['WATCHER_OVERFLOW', 'WATCHER_DOWN', 'ELIGIBILITY_CHANGED', 'POLICY_CHANGED', ...errors, 'RENAME_AMBIGUOUS']);
    expect(of(5)).toEqual(['EVICTED', 'MEMORY_BUDGET_EXCEEDED', 'COOLDOWN_CHECKED']);
    const opening = ['PROCESS_STARTED', 'FILE_MISSING', 'OPEN_OK', 'BELOW_THRESHOLD', 'THRESHOLD_EXCEEDED', 'WATCHER_STARTED', 'STAT_LEVEL_CHOSEN'];
    const builds = ['BUILD_STARTED', 'BUILD_BUDGET_EXCEEDED', 'BUILD_FAILED_DIRTY', 'BUILD_FAILED_CLEAN', 'BUILD_COMPLETED'];
    expect(of(6)).toEqual([...opening, ...builds, 'RECONCILE_STARTED', 'RECONCILE_OVER_BUDGET', 'RECONCILE_SUCCEEDED']);
    expect(of(7)).toEqual(['DIRTY_OVER_BUDGET', 'DIRTY_DRAINED']);
    expect(of(8)).toEqual(['ACCESSED']);
  });

  it('show the reason of the strongest', { tags: ['LSI-P4.1', 'T-LSI-SAFE-04'] }, () => {
    const shown = (...kinds: (keyof typeof TRIGGER_CLASSES)[]): string | null =>
      transition(
        RECORDS.COMPLETE,
        kinds.map((kind) => trigger(kind)),
      ).next.reason;
    expect(shown('DIRTY_OVER_BUDGET', 'WATCHER_OVERFLOW')).toBe('WATCHER_OVERFLOW');
    expect(shown('ENUMERATION_ERROR', 'POLICY_CHANGED')).toBe('POLICY_CHANGED');
    expect(shown('DIRTY_OVER_BUDGET', 'OPEN_OK')).toBe('OPEN_REQUIRES_VALIDATION');
    expect(shown('MEMORY_BUDGET_EXCEEDED', 'WATCHER_OVERFLOW')).toBe('MEMORY_BUDGET_EXCEEDED');
  });

  it('begin nothing for a row that lost, and still take away and queue what it says', () => {
    const asked = (...kinds: (keyof typeof TRIGGER_CLASSES)[]): readonly string[] =>
      transition(
        RECORDS.COMPLETE,
        kinds.map((kind) => trigger(kind)),
      ).actions;
    expect(asked('DIRTY_OVER_BUDGET', 'INTEGRITY_FAILED')).toEqual(['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'SCHEDULE_BUILD']);
    expect(asked('EVICTED', 'WATCHER_OVERFLOW')).toEqual(['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'SCHEDULE_PASS']);
    expect(asked('BUILD_STARTED', 'INTEGRITY_FAILED', 'ACCESSED')).toEqual(['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'SCHEDULE_BUILD', 'TOUCH']);
    expect(transition(RECORDS.BUILDING, [trigger('BUILD_COMPLETED'), trigger('WATCHER_OVERFLOW')])).toMatchObject({
      next: { state: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW_DURING_BUILD', building: null, epoch: 3 },
      actions: [],
      rows: ['LSI-ST-18', 'LSI-ST-11'],
    });
    expect(transition(RECORDS.UNCERTAIN, [trigger('BUILD_STARTED'), trigger('EVICTED')]).next).toMatchObject({ state: 'BUILDING', building: 8 });
  });
});

describe('reasons', () => {
  it('are those of Appendix D, eleven and three', { tags: ['LSI-ENUM-01'] }, () => {
    expect(Object.keys(UNCERTAIN_REASONS).sort()).toEqual(APPENDIX_D.split(' ').sort());
    expect(Object.keys(DISABLED_REASONS).sort()).toEqual(['BELOW_THRESHOLD', 'MEMORY_BUDGET_EXCEEDED', 'PERSISTENCE_NOT_PERMITTED']);
  });

  it('of an uncertain index are overwritten by a stronger one and kept before a weaker one', { tags: ['LSI-P4.2'] }, () => {
    const late = transition(RECORDS.COMPLETE, [trigger('DIRTY_OVER_BUDGET')]).next;
    const overflow = transition(late, [trigger('WATCHER_OVERFLOW')]).next;
    expect(overflow.reason).toBe('WATCHER_OVERFLOW');
    expect(single(overflow, trigger('ENUMERATION_ERROR')).reason).toBe('WATCHER_OVERFLOW');
    expect(single(overflow, trigger('OPEN_OK')).reason).toBe('WATCHER_OVERFLOW');
    expect(single(uncertain('OPEN_REQUIRES_VALIDATION'), trigger('POLICY_CHANGED')).reason).toBe('POLICY_CHANGED');
  });

  it('come out the same one after the other and at once', () => {
    const doubts = fc.constantFrom(...KINDS.filter((kind) => TRIGGER_CLASSES[kind] === 4));
    fc.assert(
      fc.property(fc.array(doubts, { minLength: 1, maxLength: 5 }), (kinds) => {
        const steps = kinds.map((kind) => trigger(kind));
        const reasons = (safety: IndexSafety): string[] => safety.causes.map(({ reason }) => reason);
        expect(reasons(steps.reduce(single, RECORDS.UNCERTAIN))).toEqual(reasons(transition(RECORDS.UNCERTAIN, steps).next));
      }),
      { numRuns: runs },
    );
  });

  it('and all else hold together in every record that can be reached', { tags: ['LSI-P4.3', 'LSI-ENUM-01', 'LSI-ENUM-16', 'FR-LSI-SAFE-01'] }, () => {
    fc.assert(
      fc.property(lived, (safety) => {
        const { causes, reason } = safety;
        expect(STATES).toContain(safety.state);
        if (safety.state === 'UNCERTAIN') {
          expect(APPENDIX_D.split(' ')).toContain(reason);
          expect(causes[0]?.reason).toBe(reason);
          expect(new Set(causes.map((cause) => cause.reason)).size).toBe(causes.length);
          expect(causes.every(({ mark }) => mark <= safety.mark)).toBe(true);
        } else {
          expect(causes).toEqual([]);
          expect(reason === null || (safety.state === 'DISABLED' && Object.hasOwn(DISABLED_REASONS, reason))).toBe(true);
        }
        if (safety.state === 'COMPLETE') expect(safety.watcherLost).toBe(false);
        expect(safety.state === 'BUILDING' ? safety.building !== null : safety.building === null || safety.state === 'UNCERTAIN').toBe(true);
        expect(safety.disabledUntilMs === null || safety.reason === 'MEMORY_BUDGET_EXCEEDED').toBe(true);
      }),
      { numRuns: runs },
    );
  });

  it('are never lost to a pass that began before them: what promotes began after every cause', () => {
    fc.assert(
      fc.property(lived, fc.array(triggers, { minLength: 1, maxLength: 4 }), (before, random) => {
        const step = aimed(before, random);
        const { next } = transition(before, step);
        expect(next === before ? next.mark : next.mark - 1).toBe(before.mark);
        if (next.state !== 'COMPLETE' || before.state === 'COMPLETE') return;
        const passes = step.filter((one) => 'since' in one);
        expect(passes.some(({ since }) => since === before.building || before.causes.every(({ mark }) => mark <= since))).toBe(true);
      }),
      { numRuns: runs },
    );
  });
});

/** The next state of one trigger by the table that was written by hand; `undefined`: it has no opinion. */
function table(): (kind: string, from: string) => string | undefined {
  const lines = EXPECTED.trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const header = lines[0] ?? [];
  const cells = new Map(lines.map((line) => [line[0]?.replace('@999', '') ?? '', line]));
  return (kind, from) => {
    const cell = cells.get(kind)?.[header.indexOf(from)] ?? '-';
    return cell === '-' || cell === 'stays' ? undefined : cell.split('/')[0];
  };
}
