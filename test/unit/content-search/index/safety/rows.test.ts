import { describe, expect, it } from 'vitest';
import { NO_INDEX, type Trigger, transition } from '../../../../../src/content-search/index/safety/index.ts';
import type { TriggerKind } from '../../../../../src/content-search/index/safety/triggers.ts';
import type { IndexSafety, IndexState } from '../../../../../src/core/ports/index.ts';
import { RECORDS, STATES, trigger, uncertain } from './cases.ts';

const ANY: readonly IndexState[] = STATES.filter((state) => state !== 'DISABLED');
const step = (before: IndexSafety, ...triggers: (Trigger | TriggerKind)[]): IndexSafety =>
  transition(
    before,
    triggers.map((one) => (typeof one === 'string' ? trigger(one) : one)),
  ).next;
const walk = (before: IndexSafety, ...triggers: (Trigger | TriggerKind)[]): IndexSafety => triggers.reduce((safety, one) => step(safety, one), before);
const states = (from: readonly IndexState[], one: TriggerKind): string[] => from.map((state) => step(RECORDS[state], one).state);
const asks = (before: IndexSafety, kind: TriggerKind): readonly string[] => transition(before, [trigger(kind)]).actions;
const shown = ({ state, reason }: IndexSafety): string => `${state}/${reason}`;
const all = (text: string, count: number): string[] => Array<string>(count).fill(text);

describe('turning it off', () => {
  it('disables from every state when the mode is off, without a reason [LSI-ST-01.1]', () => {
    expect(STATES.map((state) => shown(step(RECORDS[state], 'MODE_OFF')))).toEqual(all('DISABLED/null', 6));
    expect(step(RECORDS.DISABLED, 'MODE_OFF').disabledUntilMs).toBeNull();
  });

  it('stops everything when the mode is off, and nothing starts [LSI-ST-01.2]', () => {
    expect(asks(RECORDS.COMPLETE, 'MODE_OFF')).toEqual(['STOP_WATCHERS', 'STOP_BUILD', 'CLEAR_DIRTY', 'CLOSE_STORE']);
    const { actions } = transition(RECORDS.COMPLETE, [trigger('MODE_OFF'), trigger('BUILD_STARTED'), trigger('OPEN_OK')]);
    expect(actions).toEqual(['STOP_WATCHERS', 'STOP_BUILD', 'CLEAR_DIRTY', 'CLOSE_STORE']);
  });

  it('disables when no cache directory can be determined, and says so [LSI-ST-02.1, LSI-ST-02.2, LSI-ENUM-14]', () => {
    for (const state of ANY) expect(shown(step(RECORDS[state], 'PERSISTENCE_NOT_PERMITTED'))).toBe('DISABLED/PERSISTENCE_NOT_PERMITTED');
    expect(step(RECORDS.DISABLED, 'PERSISTENCE_NOT_PERMITTED')).toBe(RECORDS.DISABLED);
    expect(asks(RECORDS.ABSENT, 'PERSISTENCE_NOT_PERMITTED')).toContain('RECORD_DIAGNOSTIC');
  });

  it('rests until the pause is over, also through a restart [LSI-ST-03]', () => {
    expect(step(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 999 }))).toBe(RECORDS.DISABLED);
    expect(step(RECORDS.DISABLED, trigger('PROCESS_STARTED', { nowMs: 999 }))).toBe(RECORDS.DISABLED);
    expect(transition(RECORDS.DISABLED, [trigger('COOLDOWN_CHECKED', { nowMs: 999 })]).actions).toEqual([]);
  });

  it('begins anew at the very end of the pause [LSI-ST-04.1]', () => {
    expect(step(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 1000 }))).toMatchObject({ state: 'ABSENT', reason: null, disabledUntilMs: null });
    expect(step(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 1000 }), 'MODE_OFF').state).toBe('DISABLED');
  });

  it('has no pause to end when none was set', () => {
    const forGood = { ...RECORDS.DISABLED, disabledUntilMs: null };
    expect(step(forGood, trigger('COOLDOWN_CHECKED', { nowMs: 0 }))).toBe(forGood);
    expect(step(forGood, trigger('COOLDOWN_CHECKED', { nowMs: 5_000 }))).toBe(forGood);
    expect(step(forGood, trigger('PROCESS_STARTED', { nowMs: 0 })).state).toBe('ABSENT');
  });

  it('opens what is there after the pause, and stays without an index when there is nothing [LSI-ST-04.2]', () => {
    expect(transition(RECORDS.DISABLED, [trigger('COOLDOWN_CHECKED', { nowMs: 1000 })]).actions).toEqual(['OPEN_IF_PRESENT']);
    expect(shown(walk(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 1000 }), 'OPEN_OK'))).toBe('UNCERTAIN/OPEN_REQUIRES_VALIDATION');
    expect(walk(RECORDS.DISABLED, trigger('COOLDOWN_CHECKED', { nowMs: 1000 }), 'FILE_MISSING').state).toBe('ABSENT');
  });

  it('does without an index below the thresholds [LSI-ST-06, LSI-ENUM-13]', () => {
    expect(shown(step(RECORDS.ABSENT, 'BELOW_THRESHOLD'))).toBe('DISABLED/BELOW_THRESHOLD');
    expect(asks(RECORDS.ABSENT, 'BELOW_THRESHOLD')).toEqual([]);
  });

  it('comes back through ABSENT when the tree has grown, and for no other reason [T-LSI-SAFE-06]', () => {
    const small = step(RECORDS.ABSENT, 'BELOW_THRESHOLD');
    expect(walk(small, 'THRESHOLD_EXCEEDED')).toMatchObject({ state: 'ABSENT', reason: null });
    expect(asks(small, 'THRESHOLD_EXCEEDED')).toEqual(['SCHEDULE_BUILD']);
    expect(walk(small, 'THRESHOLD_EXCEEDED', 'BUILD_STARTED').state).toBe('BUILDING');
    expect(step(RECORDS.DISABLED, 'THRESHOLD_EXCEEDED')).toBe(RECORDS.DISABLED);
  });

  it('disables when the index in memory is too large, with a pause if one is set [LSI-ST-24, LSI-ENUM-15]', () => {
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
    expect(step(RECORDS.BUILDING, limit, 'PERSISTENCE_NOT_PERMITTED').disabledUntilMs).toBeNull();
  });
});

describe('opening', () => {
  it('has no index when the file is missing [LSI-ST-05]', () => {
    expect(states(ANY, 'FILE_MISSING')).toEqual(all('ABSENT', 5));
    expect(asks(RECORDS.COMPLETE, 'FILE_MISSING')).toEqual(['STOP_BUILD', 'SCHEDULE_BUILD']);
  });

  it('goes without the index for one call when it is locked, and stays what it is [LSI-ST-07]', () => {
    for (const state of ANY) expect(step(RECORDS[state], 'LOCK_TIMEOUT')).toBe(RECORDS[state]);
    expect(asks(RECORDS.COMPLETE, 'LOCK_TIMEOUT')).toEqual(['SKIP_INDEX_THIS_CALL']);
    expect(transition(RECORDS.DISABLED, [trigger('LOCK_TIMEOUT')])).toEqual({ next: RECORDS.DISABLED, actions: [], rows: [] });
  });

  it('builds anew when schema, key or tokenizer differ [LSI-ST-08.1]', () => {
    expect(states(ANY, 'MISMATCH')).toEqual(all('BUILDING', 5));
    for (const state of ANY) expect(step(RECORDS[state], 'MISMATCH').building).toBe(8);
  });

  it('puts the old index away before the new one is built, and has none when it cannot be [LSI-ST-08.2]', () => {
    expect(asks(RECORDS.UNCERTAIN, 'MISMATCH')).toEqual(['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'START_BUILD']);
    const building = step(RECORDS.UNCERTAIN, 'MISMATCH');
    expect(step(building, trigger('BUILD_FAILED_CLEAN', { since: 8 })).state).toBe('ABSENT');
  });

  it('is corrupt when the integrity check fails [LSI-ST-09.1]', () => {
    expect(states(ANY, 'INTEGRITY_FAILED')).toEqual(all('CORRUPT', 5));
  });

  it('reads nothing of a corrupt index again: it is put away, and another is built [LSI-ST-09.2]', () => {
    expect(asks(RECORDS.COMPLETE, 'INTEGRITY_FAILED')).toEqual(['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'SCHEDULE_BUILD']);
    expect(step(step(RECORDS.BUILDING, 'INTEGRITY_FAILED'), 'BUILD_COMPLETED').state).toBe('CORRUPT');
    expect(walk(RECORDS.COMPLETE, 'INTEGRITY_FAILED', 'BUILD_STARTED').state).toBe('BUILDING');
  });

  it('is uncertain after opening, even if it was complete [FR-LSI-SAFE-04, LSI-ST-15, LSI-ENUM-02]', () => {
    for (const state of ['ABSENT', 'CORRUPT', 'UNCERTAIN', 'COMPLETE'] as const) {
      expect(shown(step(RECORDS[state], 'OPEN_OK'))).toBe('UNCERTAIN/OPEN_REQUIRES_VALIDATION');
    }
    expect(asks(RECORDS.COMPLETE, 'OPEN_OK')).toEqual(['START_WATCHERS', 'SCHEDULE_PASS']);
  });

  it('trusts nothing that an earlier process wrote [FR-LSI-SAFE-04]', () => {
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
  it('builds from every state in which nothing is being built [LSI-ST-10.1]', () => {
    for (const state of ['ABSENT', 'CORRUPT', 'UNCERTAIN', 'COMPLETE'] as const) {
      expect(step(RECORDS[state], 'BUILD_STARTED')).toMatchObject({ state: 'BUILDING', reason: null, causes: [], building: 8, mark: 8 });
    }
    expect(step(RECORDS.BUILDING, 'BUILD_STARTED')).toBe(RECORDS.BUILDING);
  });

  it('is complete after a build that saw every file [LSI-ST-11]', () => {
    expect(step(RECORDS.BUILDING, 'BUILD_COMPLETED')).toEqual({ ...NO_INDEX, state: 'COMPLETE', epoch: 4, mark: 8 });
    expect(asks(RECORDS.BUILDING, 'BUILD_COMPLETED')).toEqual(['CLEAR_COVERED_DIRTY']);
  });

  it('is not complete when a directory could not be read, or nobody watched [FR-LSI-SAFE-COMPLETE-01, FR-LSI-SAFE-COMPLETE-02]', () => {
    const hid = step(RECORDS.BUILDING, trigger('BUILD_COMPLETED', { hidingErrors: 1 }));
    expect(hid).toMatchObject({ state: 'UNCERTAIN', reason: 'ENUMERATION_ERROR', building: null, epoch: 3 });
    const unwatched = step({ ...RECORDS.BUILDING, watcherLost: true }, 'BUILD_COMPLETED');
    expect(unwatched).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_DOWN', building: null, watcherLost: true, epoch: 3 });
    expect(asks({ ...RECORDS.BUILDING, watcherLost: true }, 'BUILD_COMPLETED')).toEqual(['SCHEDULE_PASS']);
    expect(step(unwatched, trigger('RECONCILE_SUCCEEDED', { since: 8 })).state).toBe('UNCERTAIN');
  });

  it('keeps a part and leaves nothing out by it when a build comes to a limit [LSI-ST-12, T-LSI-SAFE-05, LSI-ENUM-10]', () => {
    expect(step(RECORDS.BUILDING, 'BUILD_BUDGET_EXCEEDED')).toMatchObject({ state: 'UNCERTAIN', reason: 'BUILD_BUDGET_EXCEEDED', building: null });
    expect(asks(RECORDS.BUILDING, 'BUILD_BUDGET_EXCEEDED')).toEqual(['KEEP_PARTIAL']);
  });

  it('has no index after a build that wrote nothing [LSI-ST-13]', () => {
    expect(step(RECORDS.BUILDING, 'BUILD_FAILED_CLEAN')).toMatchObject({ state: 'ABSENT', building: null });
    expect(asks(RECORDS.BUILDING, 'BUILD_FAILED_CLEAN')).toEqual(['REMOVE_PARTIAL']);
  });

  it('is corrupt after a build that broke off while writing [LSI-ST-14]', () => {
    expect(step(RECORDS.BUILDING, 'BUILD_FAILED_DIRTY')).toMatchObject({ state: 'CORRUPT', building: null });
    expect(asks(RECORDS.BUILDING, 'BUILD_FAILED_DIRTY')).toEqual(['QUARANTINE', 'RECORD_DIAGNOSTIC']);
  });

  it('takes the end of another build for nothing, in whatever state', () => {
    for (const kind of ['BUILD_COMPLETED', 'BUILD_BUDGET_EXCEEDED', 'BUILD_FAILED_CLEAN', 'BUILD_FAILED_DIRTY'] as const) {
      for (const state of STATES) expect(step(RECORDS[state], trigger(kind, { since: 6 }))).toBe(RECORDS[state]);
      expect(step(RECORDS.BUILDING, trigger(kind, { since: 6, hidingErrors: 1 }))).toBe(RECORDS.BUILDING);
    }
    const lost = { ...RECORDS.BUILDING, watcherLost: true };
    expect(step(lost, trigger('BUILD_COMPLETED', { since: 6 }))).toBe(lost);
  });

  it('does not promote a build behind an uncertain index, however it ends [LSI-ST-18]', () => {
    const behind = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    expect(behind).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW_DURING_BUILD', building: 7 });
    const ended = step(behind, 'BUILD_COMPLETED');
    expect(ended).toEqual({ ...behind, building: null, mark: 9 });
    expect(asks(behind, 'BUILD_COMPLETED')).toEqual(['SCHEDULE_PASS']);
    expect(step(ended, trigger('RECONCILE_SUCCEEDED', { since: 9 }))).toMatchObject({ state: 'COMPLETE', epoch: 4 });
    expect(step(behind, 'BUILD_BUDGET_EXCEEDED')).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW_DURING_BUILD', building: null });
    expect(step(behind, 'BUILD_BUDGET_EXCEEDED').causes.map(({ reason }) => reason)).toEqual(['WATCHER_OVERFLOW_DURING_BUILD', 'BUILD_BUDGET_EXCEEDED']);
    expect(asks(behind, 'BUILD_BUDGET_EXCEEDED')).toEqual(['KEEP_PARTIAL']);
    expect(step(behind, 'BUILD_FAILED_CLEAN')).toMatchObject({ state: 'ABSENT', building: null });
    expect(asks(behind, 'BUILD_FAILED_CLEAN')).toEqual(['REMOVE_PARTIAL']);
    expect(step(behind, 'BUILD_FAILED_DIRTY')).toMatchObject({ state: 'CORRUPT', building: null });
    expect(asks(behind, 'BUILD_FAILED_DIRTY')).toEqual(['QUARANTINE', 'RECORD_DIAGNOSTIC']);
    expect(step(behind, 'BUILD_STARTED')).toMatchObject({ state: 'BUILDING', building: 9 });
  });

  it('does not let a pass over the old index promote while a build runs', () => {
    const behind = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    expect(step(behind, trigger('RECONCILE_SUCCEEDED', { since: 8 }))).toBe(behind);
  });
});

describe('losing sight of the files', () => {
  it('does not become complete because a watcher started [LSI-ST-16]', () => {
    expect(step(RECORDS.COMPLETE, 'WATCHER_STARTED')).toBe(RECORDS.COMPLETE);
    expect(shown(step(RECORDS.UNCERTAIN, 'WATCHER_STARTED'))).toBe('UNCERTAIN/OPEN_REQUIRES_VALIDATION');
    expect(asks(RECORDS.UNCERTAIN, 'WATCHER_STARTED')).toEqual(['ENQUEUE_DIRTY']);
  });

  it('counts no pass that began before the watcher did', () => {
    const watched = step(RECORDS.UNCERTAIN, 'WATCHER_STARTED');
    expect(step(watched, trigger('RECONCILE_SUCCEEDED', { since: 7 }))).toBe(watched);
    expect(step(watched, trigger('RECONCILE_SUCCEEDED', { since: watched.mark })).state).toBe('COMPLETE');
  });

  it('counts no build that began unwatched', () => {
    const lost = { ...RECORDS.BUILDING, watcherLost: true };
    const back = step(lost, 'WATCHER_STARTED');
    expect(back).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_DOWN', watcherLost: false, building: 7 });
    expect(asks(lost, 'WATCHER_STARTED')).toEqual(['ENQUEUE_DIRTY']);
    expect(step(RECORDS.BUILDING, 'WATCHER_STARTED')).toBe(RECORDS.BUILDING);
    expect(step({ ...RECORDS.ABSENT, watcherLost: true }, 'WATCHER_STARTED')).toMatchObject({ state: 'ABSENT', watcherLost: false });
    expect(step({ ...RECORDS.CORRUPT, watcherLost: true }, 'WATCHER_STARTED')).toMatchObject({ state: 'CORRUPT', watcherLost: false });
  });

  it('is uncertain after lost events until a pass that began later [LSI-ST-17, T-LSI-SAFE-01, LSI-ENUM-03]', () => {
    const lost = step(RECORDS.COMPLETE, 'WATCHER_OVERFLOW');
    expect(shown(lost)).toBe('UNCERTAIN/WATCHER_OVERFLOW');
    expect(asks(RECORDS.COMPLETE, 'WATCHER_OVERFLOW')).toEqual(['ENQUEUE_DIRTY', 'SCHEDULE_PASS']);
    expect(step(lost, trigger('RECONCILE_SUCCEEDED', { since: 7 }))).toBe(lost);
    expect(step(lost, trigger('DIRTY_DRAINED', { since: 8 }))).toBe(lost);
    expect(step(lost, trigger('RECONCILE_SUCCEEDED', { since: 8 })).state).toBe('COMPLETE');
  });

  it('names the overflow during a build as what it is, also a second one [LSI-ENUM-12]', () => {
    const once = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    const twice = step(once, 'WATCHER_OVERFLOW');
    expect(twice.causes).toEqual([{ reason: 'WATCHER_OVERFLOW_DURING_BUILD', mark: 9 }]);
    expect(asks(once, 'WATCHER_OVERFLOW')).toEqual(['ENQUEUE_DIRTY']);
  });

  it('is uncertain without its watcher, and no pass helps until it is back or not needed [LSI-ST-19, LSI-ENUM-04]', () => {
    const down = step(RECORDS.COMPLETE, 'WATCHER_DOWN');
    expect(down).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_DOWN', watcherLost: true });
    expect(step(down, trigger('RECONCILE_SUCCEEDED', { since: down.mark }))).toBe(down);
    const back = step(down, 'WATCHER_STARTED');
    expect(step(back, trigger('RECONCILE_SUCCEEDED', { since: down.mark }))).toBe(back);
    expect(step(back, trigger('RECONCILE_SUCCEEDED', { since: back.mark })).state).toBe('COMPLETE');
    const level = step(down, 'STAT_LEVEL_CHOSEN');
    expect(level).toMatchObject({ state: 'UNCERTAIN', reason: 'WATCHER_DOWN', watcherLost: false });
    expect(step(level, trigger('RECONCILE_SUCCEEDED', { since: down.mark })).state).toBe('COMPLETE');
  });

  it('remembers a lost watcher in every state that may build', () => {
    for (const state of ANY) {
      const down = step(RECORDS[state], 'WATCHER_DOWN');
      expect(down.watcherLost, state).toBe(true);
      expect(step(down, 'STAT_LEVEL_CHOSEN').watcherLost, state).toBe(false);
    }
    const built = walk(RECORDS.CORRUPT, 'WATCHER_DOWN', 'BUILD_STARTED', trigger('BUILD_COMPLETED', { since: 9 }));
    expect(shown(built)).toBe('UNCERTAIN/WATCHER_DOWN');
  });

  it('is uncertain after an ignore file changed, until a pass [LSI-ST-20, T-LSI-SAFE-02, LSI-ENUM-05]', () => {
    for (const state of ['COMPLETE', 'UNCERTAIN', 'BUILDING'] as const) {
      expect(shown(step(RECORDS[state], 'ELIGIBILITY_CHANGED'))).toBe('UNCERTAIN/ELIGIBILITY_CHANGED');
      expect(asks(RECORDS[state], 'ELIGIBILITY_CHANGED')).toEqual(['ENQUEUE_DIRTY', 'SCHEDULE_PASS']);
    }
    expect(step(RECORDS.BUILDING, 'ELIGIBILITY_CHANGED').building).toBe(7);
    expect(step(step(RECORDS.COMPLETE, 'ELIGIBILITY_CHANGED'), trigger('RECONCILE_SUCCEEDED', { since: 8 })).state).toBe('COMPLETE');
  });

  it('drops what was denied, and ends a build under the old policy [LSI-ST-21, LSI-ENUM-06]', () => {
    for (const state of ['COMPLETE', 'UNCERTAIN', 'BUILDING'] as const) {
      expect(step(RECORDS[state], 'POLICY_CHANGED')).toMatchObject({ state: 'UNCERTAIN', reason: 'POLICY_CHANGED', building: null });
      expect(asks(RECORDS[state], 'POLICY_CHANGED')).toEqual(['STOP_BUILD', 'PURGE_DENIED', 'SCHEDULE_PASS']);
    }
    const behind = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    expect(step(behind, 'POLICY_CHANGED').building).toBeNull();
  });

  it('is uncertain while a directory cannot be read [LSI-ST-22, LSI-ENUM-09]', () => {
    for (const state of ['COMPLETE', 'UNCERTAIN', 'BUILDING'] as const) {
      expect(shown(step(RECORDS[state], 'ENUMERATION_ERROR'))).toBe('UNCERTAIN/ENUMERATION_ERROR');
      expect(asks(RECORDS[state], 'ENUMERATION_ERROR')).toEqual(['SCHEDULE_PASS']);
    }
  });

  it('has no index after eviction, and no pass that runs brings it back [LSI-ST-23]', () => {
    expect(states(ANY, 'EVICTED')).toEqual(all('ABSENT', 5));
    expect(asks(RECORDS.COMPLETE, 'EVICTED')).toEqual(['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE']);
    const both = step(RECORDS.UNCERTAIN, 'EVICTED', 'WATCHER_OVERFLOW');
    expect(both.causes.map(({ mark }) => mark)).toEqual([8, 8]);
    expect(step(both, trigger('RECONCILE_SUCCEEDED', { since: 7 }))).toBe(both);
    expect(step(both, 'FILE_MISSING').state).toBe('ABSENT');
    const building = step(RECORDS.BUILDING, 'EVICTED', 'WATCHER_OVERFLOW');
    expect(building).toMatchObject({ state: 'UNCERTAIN', building: null });
    expect(step(building, 'BUILD_COMPLETED')).toBe(building);
  });

  it('knows where a renamed file went, or is uncertain about it [LSI-ST-31]', () => {
    expect(step(RECORDS.COMPLETE, 'RENAME_APPLIED')).toBe(RECORDS.COMPLETE);
    expect(asks(RECORDS.COMPLETE, 'RENAME_APPLIED')).toEqual(['ENQUEUE_DIRTY']);
    expect(shown(step(RECORDS.COMPLETE, 'RENAME_OVER_BUDGET'))).toBe('UNCERTAIN/DIRTY_BACKLOG');
    expect(asks(RECORDS.COMPLETE, 'RENAME_OVER_BUDGET')).toEqual(['ENQUEUE_DIRTY', 'SCHEDULE_DRAIN']);
    for (const kind of ['RENAME_APPLIED', 'RENAME_OVER_BUDGET'] as const) {
      for (const state of ['BUILDING', 'UNCERTAIN'] as const) {
        expect(step(RECORDS[state], kind)).toBe(RECORDS[state]);
        expect(asks(RECORDS[state], kind)).toEqual(['ENQUEUE_DIRTY']);
      }
    }
  });

  it('is uncertain when it is not known what was renamed [LSI-ST-32, LSI-ENUM-08]', () => {
    for (const state of ['COMPLETE', 'BUILDING', 'UNCERTAIN'] as const) {
      expect(shown(step(RECORDS[state], 'RENAME_AMBIGUOUS'))).toBe('UNCERTAIN/RENAME_UNCERTAIN');
      expect(asks(RECORDS[state], 'RENAME_AMBIGUOUS')).toEqual(['SCHEDULE_PASS']);
    }
  });
});

describe('keeping up', () => {
  it('stays complete when changed files are taken in, and has a backlog when not [LSI-ST-25, LSI-ENUM-07]', () => {
    expect(step(RECORDS.COMPLETE, 'DIRTY_APPLIED')).toBe(RECORDS.COMPLETE);
    expect(shown(step(RECORDS.COMPLETE, 'DIRTY_OVER_BUDGET'))).toBe('UNCERTAIN/DIRTY_BACKLOG');
    expect(asks(RECORDS.COMPLETE, 'DIRTY_OVER_BUDGET')).toEqual(['SKIP_INDEX_THIS_CALL', 'SCHEDULE_DRAIN']);
  });

  it('is uncertain when other work is left than changed files [LSI-ST-26, LSI-ENUM-11]', () => {
    expect(shown(step(RECORDS.COMPLETE, 'MAINT_OVER_BUDGET'))).toBe('UNCERTAIN/MAINT_BUDGET_EXCEEDED');
    expect(asks(RECORDS.COMPLETE, 'MAINT_OVER_BUDGET')).toEqual(['SKIP_INDEX_THIS_CALL', 'SCHEDULE_PASS']);
    const both = step(RECORDS.COMPLETE, 'DIRTY_OVER_BUDGET', 'MAINT_OVER_BUDGET');
    expect(shown(both)).toBe('UNCERTAIN/MAINT_BUDGET_EXCEEDED');
    expect(step(both, trigger('DIRTY_DRAINED', { since: 8 }))).toBe(both);
  });

  it('is complete again when the backlog is gone and nothing else happened [LSI-ST-27]', () => {
    const late = step(RECORDS.COMPLETE, 'DIRTY_OVER_BUDGET');
    expect(step(late, trigger('DIRTY_DRAINED', { since: 8 }))).toEqual({ ...RECORDS.COMPLETE, mark: 9 });
    expect(step(late, trigger('DIRTY_DRAINED', { since: 7 }))).toBe(late);
    const overflow = step(late, 'WATCHER_OVERFLOW');
    expect(step(overflow, trigger('DIRTY_DRAINED', { since: 9 }))).toBe(overflow);
    expect(step({ ...late, watcherLost: true }, trigger('DIRTY_DRAINED', { since: 8 })).state).toBe('UNCERTAIN');
  });

  it('leaves nothing out while a pass runs [LSI-ST-28]', () => {
    expect(step(RECORDS.UNCERTAIN, 'RECONCILE_STARTED')).toBe(RECORDS.UNCERTAIN);
    expect(asks(RECORDS.UNCERTAIN, 'RECONCILE_STARTED')).toEqual(['RUN_PASS']);
  });

  it('is complete after a pass that began after every cause [LSI-ST-29]', () => {
    const doubtful = uncertain('WATCHER_OVERFLOW', 'POLICY_CHANGED', 'DIRTY_BACKLOG');
    expect(step(doubtful, trigger('RECONCILE_SUCCEEDED', { since: 6 }))).toEqual({ ...RECORDS.COMPLETE, epoch: 4, mark: 8 });
    expect(asks(doubtful, 'RECONCILE_SUCCEEDED')).toEqual(['CLEAR_COVERED_DIRTY']);
    for (const since of [3, 4, 5]) {
      const { next, actions } = transition(doubtful, [trigger('RECONCILE_SUCCEEDED', { since })]);
      expect(next).toBe(doubtful);
      expect(actions).toEqual(['SCHEDULE_PASS']);
    }
  });

  it('stays uncertain for the same reason when a pass comes to its limit [LSI-ST-30, T-LSI-SAFE-03]', () => {
    const doubtful = uncertain('POLICY_CHANGED');
    expect(step(doubtful, 'RECONCILE_OVER_BUDGET')).toBe(doubtful);
    expect(shown(step(doubtful, 'RECONCILE_HIDING_ERRORS'))).toBe('UNCERTAIN/POLICY_CHANGED');
  });

  it('does not let a drain promote when a pass met a directory that it could not read', () => {
    const met = step(uncertain('DIRTY_BACKLOG'), 'RECONCILE_HIDING_ERRORS');
    expect(shown(met)).toBe('UNCERTAIN/ENUMERATION_ERROR');
    expect(step(met, trigger('DIRTY_DRAINED', { since: 8 }))).toBe(met);
  });

  it('notes an access and changes nothing [LSI-P2.5]', () => {
    for (const state of ANY) expect(step(RECORDS[state], 'ACCESSED')).toBe(RECORDS[state]);
    expect(asks(RECORDS.COMPLETE, 'ACCESSED')).toEqual(['TOUCH']);
    expect(asks(RECORDS.DISABLED, 'ACCESSED')).toEqual([]);
  });
});
