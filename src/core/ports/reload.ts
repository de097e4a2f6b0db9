/** What a role answered to a request to reload its settings. */
export interface ReloadAnswer {
  /** The request that it answers. */
  readonly request: string;
  readonly outcome: 'taken' | 'unchanged' | 'refused';
  /** Names of the settings that were taken up, and of those that differ and need a restart. */
  readonly changed: readonly string[];
  readonly restart: readonly string[];
  /** Why nothing was changed. */
  readonly problem?: string | undefined;
}

/** One role that was asked to reload. `gone`: it ended meanwhile. `silent`: it did not answer in time, or knows no reload. */
export interface RoleAnswer {
  readonly role: string;
  readonly pid: number;
  readonly generation: number | undefined;
  readonly answer: ReloadAnswer | 'gone' | 'silent';
}
