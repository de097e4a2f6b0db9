import { describe, expect, it } from 'vitest';
import { transition } from '../../../../../src/content-search/ngram-index/safety/transition.ts';
import { ANY, all, asks, RECORDS, shown, states, step, trigger, uncertain, walk } from './cases.ts';

describe('losing sight of the files', () => {
  it('does not become complete because a watcher started', { tags: ['LSI-ST-16'] }, () => {
    expect(step(RECORDS.COMPLETE, 'WATCHER_STARTED')).toBe(RECORDS.COMPLETE);
    expect(shown(step(RECORDS.UNCERTAIN, 'WATCHER_STARTED'))).toBe('UNCERTAIN/OPEN_REQUIRES_VALIDATION');
    expect(asks(RECORDS.UNCERTAIN, 'WATCHER_STARTED')).toEqual([]);
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
    expect(asks(lost, 'WATCHER_STARTED')).toEqual([]);
    expect(step(RECORDS.BUILDING, 'WATCHER_STARTED')).toBe(RECORDS.BUILDING);
    expect(step({ ...RECORDS.ABSENT, watcherLost: true }, 'WATCHER_STARTED')).toMatchObject({ state: 'ABSENT', watcherLost: false });
    expect(step({ ...RECORDS.CORRUPT, watcherLost: true }, 'WATCHER_STARTED')).toMatchObject({ state: 'CORRUPT', watcherLost: false });
  });

  it('is uncertain after lost events until a pass that began later', { tags: ['LSI-ST-17', 'T-LSI-SAFE-01', 'LSI-ENUM-03'] }, () => {
    const lost = step(RECORDS.COMPLETE, 'WATCHER_OVERFLOW');
    expect(shown(lost)).toBe('UNCERTAIN/WATCHER_OVERFLOW');
    expect(asks(RECORDS.COMPLETE, 'WATCHER_OVERFLOW')).toEqual(['SCHEDULE_PASS']);
    expect(step(lost, trigger('RECONCILE_SUCCEEDED', { since: 7 }))).toBe(lost);
    expect(step(lost, trigger('DIRTY_DRAINED', { since: 8 }))).toBe(lost);
    expect(step(lost, trigger('RECONCILE_SUCCEEDED', { since: 8 })).state).toBe('COMPLETE');
  });

  it('names the overflow during a build as what it is, also a second one', { tags: ['LSI-ENUM-12', 'FR-LSI-BG-62'] }, () => {
    const once = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    const twice = step(once, 'WATCHER_OVERFLOW');
    expect(twice.causes).toEqual([{ reason: 'WATCHER_OVERFLOW_DURING_BUILD', mark: 9 }]);
    expect(asks(once, 'WATCHER_OVERFLOW')).toEqual([]);
  });

  it('is uncertain without its watcher, and no pass helps until it is back or not needed', { tags: ['LSI-ST-19', 'LSI-ENUM-04'] }, () => {
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

  it('is uncertain after an ignore file changed, until a pass', { tags: ['LSI-ST-20', 'T-LSI-SAFE-02', 'LSI-ENUM-05'] }, () => {
    for (const state of ['COMPLETE', 'UNCERTAIN', 'BUILDING'] as const) {
      expect(shown(step(RECORDS[state], 'ELIGIBILITY_CHANGED'))).toBe('UNCERTAIN/ELIGIBILITY_CHANGED');
      expect(asks(RECORDS[state], 'ELIGIBILITY_CHANGED')).toEqual(['SCHEDULE_PASS']);
    }
    expect(step(RECORDS.BUILDING, 'ELIGIBILITY_CHANGED').building).toBe(7);
    expect(step(step(RECORDS.COMPLETE, 'ELIGIBILITY_CHANGED'), trigger('RECONCILE_SUCCEEDED', { since: 8 })).state).toBe('COMPLETE');
  });

  it('drops what was denied, and ends a build under the old policy', { tags: ['LSI-ST-21', 'LSI-ENUM-06'] }, () => {
    for (const state of ['COMPLETE', 'UNCERTAIN', 'BUILDING'] as const) {
      expect(step(RECORDS[state], 'POLICY_CHANGED')).toMatchObject({ state: 'UNCERTAIN', reason: 'POLICY_CHANGED', building: null });
      expect(asks(RECORDS[state], 'POLICY_CHANGED')).toEqual(['STOP_BUILD', 'PURGE_DENIED', 'SCHEDULE_PASS']);
    }
    const behind = step(RECORDS.BUILDING, 'WATCHER_OVERFLOW');
    expect(step(behind, 'POLICY_CHANGED').building).toBeNull();
  });

  it('is uncertain while a directory cannot be read', { tags: ['LSI-ST-22', 'LSI-ENUM-09'] }, () => {
    for (const state of ['COMPLETE', 'UNCERTAIN', 'BUILDING'] as const) {
      expect(shown(step(RECORDS[state], 'ENUMERATION_ERROR'))).toBe('UNCERTAIN/ENUMERATION_ERROR');
      expect(asks(RECORDS[state], 'ENUMERATION_ERROR')).toEqual(['SCHEDULE_PASS']);
    }
  });

  it('has no index after eviction, and no pass that runs brings it back', { tags: ['LSI-ST-23'] }, () => {
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

  it('is uncertain when it is not known what was renamed', { tags: ['LSI-ST-32', 'LSI-ENUM-08', 'FR-LSI-TRK-09.2'] }, () => {
    for (const state of ['COMPLETE', 'BUILDING', 'UNCERTAIN'] as const) {
      expect(shown(step(RECORDS[state], 'RENAME_AMBIGUOUS'))).toBe('UNCERTAIN/RENAME_UNCERTAIN');
      expect(asks(RECORDS[state], 'RENAME_AMBIGUOUS')).toEqual(['SCHEDULE_PASS']);
    }
  });
});

describe('keeping up', () => {
  it('has a backlog when more has changed than is kept one by one', { tags: ['LSI-ST-25', 'LSI-ENUM-07'] }, () => {
    expect(shown(step(RECORDS.COMPLETE, 'DIRTY_OVER_BUDGET'))).toBe('UNCERTAIN/DIRTY_BACKLOG');
    expect(asks(RECORDS.COMPLETE, 'DIRTY_OVER_BUDGET')).toEqual(['SCHEDULE_DRAIN']);
  });

  it('is complete again when the backlog is gone and nothing else happened', { tags: ['LSI-ST-27'] }, () => {
    const late = step(RECORDS.COMPLETE, 'DIRTY_OVER_BUDGET');
    expect(step(late, trigger('DIRTY_DRAINED', { since: 8 }))).toEqual({ ...RECORDS.COMPLETE, mark: 9 });
    expect(step(late, trigger('DIRTY_DRAINED', { since: 7 }))).toBe(late);
    const overflow = step(late, 'WATCHER_OVERFLOW');
    expect(step(overflow, trigger('DIRTY_DRAINED', { since: 9 }))).toBe(overflow);
    expect(step({ ...late, watcherLost: true }, trigger('DIRTY_DRAINED', { since: 8 })).state).toBe('UNCERTAIN');
  });

  it('leaves nothing out while a pass runs', { tags: ['LSI-ST-28'] }, () => {
    expect(step(RECORDS.UNCERTAIN, 'RECONCILE_STARTED')).toBe(RECORDS.UNCERTAIN);
    expect(asks(RECORDS.UNCERTAIN, 'RECONCILE_STARTED')).toEqual([]);
  });

  it('is complete after a pass that began after every cause', { tags: ['LSI-ST-29'] }, () => {
    const doubtful = uncertain('WATCHER_OVERFLOW', 'POLICY_CHANGED', 'DIRTY_BACKLOG');
    expect(step(doubtful, trigger('RECONCILE_SUCCEEDED', { since: 6 }))).toEqual({ ...RECORDS.COMPLETE, epoch: 4, mark: 8 });
    expect(asks(doubtful, 'RECONCILE_SUCCEEDED')).toEqual([]);
    for (const since of [3, 4, 5]) {
      const { next, actions } = transition(doubtful, [trigger('RECONCILE_SUCCEEDED', { since })]);
      expect(next).toBe(doubtful);
      expect(actions).toEqual(['SCHEDULE_PASS']);
    }
  });

  it('stays uncertain for the same reason when a pass comes to its limit', { tags: ['LSI-ST-30', 'T-LSI-SAFE-03', 'FR-LSI-REC-02'] }, () => {
    const doubtful = uncertain('POLICY_CHANGED');
    expect(step(doubtful, 'RECONCILE_OVER_BUDGET')).toBe(doubtful);
    expect(shown(step(doubtful, 'RECONCILE_HIDING_ERRORS'))).toBe('UNCERTAIN/POLICY_CHANGED');
  });

  it('does not let a drain promote when a pass met a directory that it could not read', () => {
    const met = step(uncertain('DIRTY_BACKLOG'), 'RECONCILE_HIDING_ERRORS');
    expect(shown(met)).toBe('UNCERTAIN/ENUMERATION_ERROR');
    expect(step(met, trigger('DIRTY_DRAINED', { since: 8 }))).toBe(met);
  });

  it('notes an access and changes nothing', { tags: ['LSI-P2.5'] }, () => {
    for (const state of ANY) expect(step(RECORDS[state], 'ACCESSED')).toBe(RECORDS[state]);
    expect(asks(RECORDS.COMPLETE, 'ACCESSED')).toEqual(['TOUCH']);
    expect(asks(RECORDS.DISABLED, 'ACCESSED')).toEqual([]);
  });
});
