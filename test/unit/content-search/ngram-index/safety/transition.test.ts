import { describe, expect, it } from 'vitest';
import { NO_INDEX, transition } from '../../../../../src/content-search/ngram-index/safety/transition.ts';
import { ANY, all, asks, RECORDS, STATES, shown, states, step, trigger, walk } from './cases.ts';

describe('being disabled', () => {
  it('begins without an index', () => {
    expect(NO_INDEX.state).toBe('ABSENT');
    expect(step(NO_INDEX, 'BUILD_STARTED')).toMatchObject({ state: 'BUILDING', building: 1, mark: 1, epoch: 0 });
  });

  it('rests until the pause is over, also through a restart', { tags: ['LSI-ST-03'] }, () => {
    expect(step(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 999 }))).toBe(RECORDS.DISABLED);
    expect(step(RECORDS.DISABLED, trigger('PROCESS_STARTED', { nowMs: 999 }))).toBe(RECORDS.DISABLED);
    expect(transition(RECORDS.DISABLED, [trigger('COOLDOWN_CHECKED', { nowMs: 999 })]).actions).toEqual([]);
  });

  it('begins anew at the very end of the pause', { tags: ['LSI-ST-04.1'] }, () => {
    expect(step(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 1000 }))).toMatchObject({ state: 'ABSENT', reason: null, disabledUntilMs: null });
  });

  it('has no pause to end when none was set', () => {
    const forGood = { ...RECORDS.DISABLED, disabledUntilMs: null };
    expect(step(forGood, trigger('COOLDOWN_CHECKED', { nowMs: 0 }))).toBe(forGood);
    expect(step(forGood, trigger('COOLDOWN_CHECKED', { nowMs: 5_000 }))).toBe(forGood);
    expect(step(forGood, trigger('PROCESS_STARTED', { nowMs: 0 })).state).toBe('ABSENT');
  });

  it('opens what is there after the pause, and stays without an index when there is nothing', { tags: ['LSI-ST-04.2'] }, () => {
    expect(transition(RECORDS.DISABLED, [trigger('COOLDOWN_CHECKED', { nowMs: 1000 })]).actions).toEqual([]);
    expect(shown(walk(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 1000 }), 'OPEN_OK'))).toBe('UNCERTAIN/OPEN_REQUIRES_VALIDATION');
    expect(walk(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 1000 }), 'FILE_MISSING').state).toBe('ABSENT');
  });

  it('does without an index below the thresholds', { tags: ['LSI-ST-06', 'LSI-ENUM-13'] }, () => {
    expect(shown(step(RECORDS.ABSENT, 'BELOW_THRESHOLD'))).toBe('DISABLED/BELOW_THRESHOLD');
    expect(asks(RECORDS.ABSENT, 'BELOW_THRESHOLD')).toEqual([]);
  });

  it('comes back through ABSENT when the tree has grown, and for no other reason', { tags: ['T-LSI-SAFE-06'] }, () => {
    const small = step(RECORDS.ABSENT, 'BELOW_THRESHOLD');
    expect(walk(small, 'THRESHOLD_EXCEEDED')).toMatchObject({ state: 'ABSENT', reason: null });
    expect(asks(small, 'THRESHOLD_EXCEEDED')).toEqual(['SCHEDULE_BUILD']);
    expect(walk(small, 'THRESHOLD_EXCEEDED', 'BUILD_STARTED').state).toBe('BUILDING');
    expect(step(RECORDS.DISABLED, 'THRESHOLD_EXCEEDED')).toBe(RECORDS.DISABLED);
  });

  it('disables when the index in memory is too large, with a pause if one is set', { tags: ['LSI-ST-24', 'LSI-ENUM-15'] }, () => {
    const limit = trigger('MEMORY_BUDGET_EXCEEDED', { disabledUntilMs: 5_000 });
    for (const state of ANY) {
      expect(step(RECORDS[state], limit)).toMatchObject({
        state: 'DISABLED',
        reason: 'MEMORY_BUDGET_EXCEEDED',
        disabledUntilMs: 5_000,
        building: null,
        causes: [],
      });
    }
    expect(step(RECORDS.BUILDING, 'MEMORY_BUDGET_EXCEEDED').disabledUntilMs).toBeNull();
    expect(step(RECORDS.BUILDING, limit, trigger('MEMORY_BUDGET_EXCEEDED', { disabledUntilMs: 9_000 })).disabledUntilMs).toBe(9_000);
    expect(step(RECORDS.BUILDING, trigger('MEMORY_BUDGET_EXCEEDED', { disabledUntilMs: 9_000 }), limit).disabledUntilMs).toBe(9_000);
    expect(step(RECORDS.BUILDING, limit, 'MEMORY_BUDGET_EXCEEDED').disabledUntilMs).toBeNull();
  });
});

describe('opening', () => {
  it('has no index when the file is missing', { tags: ['LSI-ST-05'] }, () => {
    expect(states(ANY, 'FILE_MISSING')).toEqual(all('ABSENT', 5));
    expect(asks(RECORDS.COMPLETE, 'FILE_MISSING')).toEqual(['STOP_BUILD', 'SCHEDULE_BUILD']);
  });

  it('builds anew when schema, key or tokenizer differ', { tags: ['LSI-ST-08.1'] }, () => {
    expect(states(ANY, 'MISMATCH')).toEqual(all('BUILDING', 5));
    for (const state of ANY) expect(step(RECORDS[state], 'MISMATCH').building).toBe(8);
  });

  it('puts the old index away before the new one is built, and has none when it cannot be', { tags: ['LSI-ST-08.2'] }, () => {
    expect(asks(RECORDS.UNCERTAIN, 'MISMATCH')).toEqual(['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'SCHEDULE_BUILD']);
    const building = step(RECORDS.UNCERTAIN, 'MISMATCH');
    expect(step(building, trigger('BUILD_FAILED_CLEAN', { since: 8 })).state).toBe('ABSENT');
  });

  it('is corrupt when the integrity check fails', { tags: ['LSI-ST-09.1'] }, () => {
    expect(states(ANY, 'INTEGRITY_FAILED')).toEqual(all('CORRUPT', 5));
  });

  it('reads nothing of a corrupt index again: it is put away, and another is built', { tags: ['LSI-ST-09.2'] }, () => {
    expect(asks(RECORDS.COMPLETE, 'INTEGRITY_FAILED')).toEqual(['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'SCHEDULE_BUILD']);
    expect(step(step(RECORDS.BUILDING, 'INTEGRITY_FAILED'), 'BUILD_COMPLETED').state).toBe('CORRUPT');
    expect(walk(RECORDS.COMPLETE, 'INTEGRITY_FAILED', 'BUILD_STARTED').state).toBe('BUILDING');
  });

  it('is uncertain after opening, even if it was complete', { tags: ['FR-LSI-SAFE-04', 'LSI-ST-15', 'LSI-ENUM-02'] }, () => {
    for (const state of ['ABSENT', 'CORRUPT', 'UNCERTAIN', 'COMPLETE'] as const) {
      expect(shown(step(RECORDS[state], 'OPEN_OK'))).toBe('UNCERTAIN/OPEN_REQUIRES_VALIDATION');
    }
    expect(asks(RECORDS.COMPLETE, 'OPEN_OK')).toEqual(['SCHEDULE_PASS']);
  });

  it('trusts nothing that an earlier process wrote', { tags: ['FR-LSI-SAFE-04'] }, () => {
    for (const state of ANY) {
      const opened = walk(RECORDS[state], 'PROCESS_STARTED', 'OPEN_OK');
      expect(shown(opened)).toBe('UNCERTAIN/OPEN_REQUIRES_VALIDATION');
      expect(opened).toMatchObject({ building: null, watcherLost: false, epoch: 3 });
      expect(opened.mark).toBeGreaterThan(7);
    }
  });

  it('forgets with the process that the watcher was lost, unless it is lost now', () => {
    const lost = { ...RECORDS.ABSENT, watcherLost: true };
    expect(step(lost, 'PROCESS_STARTED').watcherLost).toBe(false);
    expect(step(lost, 'PROCESS_STARTED', 'WATCHER_DOWN').watcherLost).toBe(true);
  });
});

describe('building', () => {
  it('builds from every state in which nothing is being built', { tags: ['LSI-ST-10.1'] }, () => {
    for (const state of ['ABSENT', 'CORRUPT', 'UNCERTAIN', 'COMPLETE'] as const) {
      expect(step(RECORDS[state], 'BUILD_STARTED')).toMatchObject({ state: 'BUILDING', reason: null, causes: [], building: 8, mark: 8 });
    }
    expect(step(RECORDS.BUILDING, 'BUILD_STARTED')).toBe(RECORDS.BUILDING);
  });

  it('is complete after a build that saw every file', { tags: ['LSI-ST-11'] }, () => {
    expect(step(RECORDS.BUILDING, 'BUILD_COMPLETED')).toEqual({ ...NO_INDEX, state: 'COMPLETE', epoch: 4, mark: 8 });
    expect(asks(RECORDS.BUILDING, 'BUILD_COMPLETED')).toEqual([]);
  });

  it('is not complete when a directory could not be read, or nobody watched', {
    tags: ['FR-LSI-SAFE-02.4', 'FR-LSI-SAFE-COMPLETE-01', 'FR-LSI-SAFE-COMPLETE-02'],
  }, () => {
    const hid = step(RECORDS.BUILDING, trigger('BUILD_COMPLETED', { hidingErrors: 1 }));
    expect(hid).toMatchObject({ state: 'UNCERTAIN', reason: 'ENUMERATION_ERROR', building: null, epoch: 3 });
    const unwatched = step({ ...RECORDS.BUILDING, watcherLost: true }, 'BUILD_COMPLETED');
    expect(unwatched).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_DOWN', building: null, watcherLost: true, epoch: 3 });
    expect(asks({ ...RECORDS.BUILDING, watcherLost: true }, 'BUILD_COMPLETED')).toEqual(['SCHEDULE_PASS']);
    expect(step(unwatched, trigger('RECONCILE_SUCCEEDED', { since: 8 })).state).toBe('UNCERTAIN');
  });

  it('keeps a part and leaves nothing out by it when a build comes to a limit', { tags: ['LSI-ST-12', 'T-LSI-SAFE-05', 'LSI-ENUM-10'] }, () => {
    expect(step(RECORDS.BUILDING, 'BUILD_BUDGET_EXCEEDED')).toMatchObject({ state: 'UNCERTAIN', reason: 'BUILD_BUDGET_EXCEEDED', building: null });
    expect(asks(RECORDS.BUILDING, 'BUILD_BUDGET_EXCEEDED')).toEqual([]);
  });

  it('has no index after a build that wrote nothing', { tags: ['LSI-ST-13'] }, () => {
    expect(step(RECORDS.BUILDING, 'BUILD_FAILED_CLEAN')).toMatchObject({ state: 'ABSENT', building: null });
    expect(asks(RECORDS.BUILDING, 'BUILD_FAILED_CLEAN')).toEqual(['REMOVE_PARTIAL']);
  });

  it('is corrupt after a build that broke off while writing', { tags: ['LSI-ST-14'] }, () => {
    expect(step(RECORDS.BUILDING, 'BUILD_FAILED_DIRTY')).toMatchObject({ state: 'CORRUPT', building: null });
    expect(asks(RECORDS.BUILDING, 'BUILD_FAILED_DIRTY')).toEqual(['QUARANTINE']);
  });

  it('takes the end of another build for nothing, in whatever state', () => {
    for (const kind of ['BUILD_COMPLETED', 'BUILD_BUDGET_EXCEEDED', 'BUILD_FAILED_CLEAN', 'BUILD_FAILED_DIRTY'] as const) {
      for (const state of STATES) expect(step(RECORDS[state], trigger(kind, { since: 6 }))).toBe(RECORDS[state]);
      expect(step(RECORDS.BUILDING, trigger(kind, { since: 6, hidingErrors: 1 }))).toBe(RECORDS.BUILDING);
    }
    const lost = { ...RECORDS.BUILDING, watcherLost: true };
    expect(step(lost, trigger('BUILD_COMPLETED', { since: 6 }))).toBe(lost);
  });

  it('does not promote a build behind an uncertain index, however it ends', { tags: ['LSI-ST-18', 'FR-LSI-BG-62'] }, () => {
    const behind = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    expect(behind).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW_DURING_BUILD', building: 7 });
    const ended = step(behind, 'BUILD_COMPLETED');
    expect(ended).toEqual({ ...behind, building: null, mark: 9 });
    expect(asks(behind, 'BUILD_COMPLETED')).toEqual(['SCHEDULE_PASS']);
    expect(step(ended, trigger('RECONCILE_SUCCEEDED', { since: 9 }))).toMatchObject({ state: 'COMPLETE', epoch: 4 });
    expect(step(behind, 'BUILD_BUDGET_EXCEEDED')).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW_DURING_BUILD', building: null });
    expect(step(behind, 'BUILD_BUDGET_EXCEEDED').causes.map(({ reason }) => reason)).toEqual(['WATCHER_OVERFLOW_DURING_BUILD', 'BUILD_BUDGET_EXCEEDED']);
    expect(asks(behind, 'BUILD_BUDGET_EXCEEDED')).toEqual([]);
    expect(step(behind, 'BUILD_FAILED_CLEAN')).toMatchObject({ state: 'ABSENT', building: null });
    expect(asks(behind, 'BUILD_FAILED_CLEAN')).toEqual(['REMOVE_PARTIAL']);
    expect(step(behind, 'BUILD_FAILED_DIRTY')).toMatchObject({ state: 'CORRUPT', building: null });
    expect(asks(behind, 'BUILD_FAILED_DIRTY')).toEqual(['QUARANTINE']);
    expect(step(behind, 'BUILD_STARTED')).toMatchObject({ state: 'BUILDING', building: 9 });
  });

  it('forgets a build whose ground is gone, also when a doubt decides about the state', () => {
    const behind = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    for (const kind of ['FILE_MISSING', 'MISMATCH', 'BUILD_FAILED_CLEAN', 'EVICTED'] as const) {
      for (const before of [RECORDS.BUILDING, behind]) {
        expect(step(before, kind, 'WATCHER_OVERFLOW'), kind).toMatchObject({ state: 'UNCERTAIN', building: null });
      }
    }
  });

  it('does not let a pass over the old index promote while a build runs', () => {
    const behind = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    expect(step(behind, trigger('RECONCILE_SUCCEEDED', { since: 8 }))).toBe(behind);
  });
});
