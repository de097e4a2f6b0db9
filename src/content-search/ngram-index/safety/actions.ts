/**
 * What a transition asks for, in the order in which it is done. `always`: also when another trigger's row won, because it
 * takes away, queues or notes. `if_won`: only for rows whose next state became the state.
 */
export const ACTIONS = {
  SKIP_INDEX_THIS_CALL: 'always',
  STOP_WATCHERS: 'always',
  STOP_BUILD: 'always',
  CLEAR_DIRTY: 'always',
  CLEAR_COVERED_DIRTY: 'if_won',
  ENQUEUE_DIRTY: 'always',
  QUARANTINE: 'always',
  REMOVE_PARTIAL: 'always',
  KEEP_PARTIAL: 'if_won',
  PURGE_DENIED: 'always',
  CLOSE_STORE: 'always',
  RECORD_DIAGNOSTIC: 'always',
  OPEN_IF_PRESENT: 'if_won',
  START_WATCHERS: 'if_won',
  START_BUILD: 'if_won',
  RUN_PASS: 'if_won',
  SCHEDULE_BUILD: 'if_won',
  SCHEDULE_PASS: 'if_won',
  SCHEDULE_DRAIN: 'if_won',
  TOUCH: 'always',
} satisfies Record<string, 'always' | 'if_won'>;

export type Action = keyof typeof ACTIONS;
