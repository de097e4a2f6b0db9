/**
 * What a transition asks for, in the order in which it is done. `always`: also when another trigger's row won, because it
 * takes away or notes. `if_won`: only for rows whose next state became the state.
 */
export const ACTIONS = {
  STOP_BUILD: 'always',
  CLEAR_DIRTY: 'always',
  QUARANTINE: 'always',
  REMOVE_PARTIAL: 'always',
  PURGE_DENIED: 'always',
  CLOSE_STORE: 'always',
  SCHEDULE_BUILD: 'if_won',
  SCHEDULE_PASS: 'if_won',
  SCHEDULE_DRAIN: 'if_won',
  TOUCH: 'always',
} satisfies Record<string, 'always' | 'if_won'>;

export type Action = keyof typeof ACTIONS;
