/** Adds up what the stages of some work take. */
export interface StageTimes<Stage extends string> {
  /** Milliseconds of each stage that there was. */
  readonly spent: Readonly<Partial<Record<Stage, number>>>;
  /** Does a part of a stage. */
  during<T>(stage: Stage, work: () => T | Promise<T>): Promise<T>;
}

/** @param elapsed milliseconds of a clock that never goes back */
export function createStageTimes<Stage extends string>(elapsed: () => number): StageTimes<Stage> {
  const spent: Partial<Record<Stage, number>> = {};
  return {
    spent,
    async during(stage, work) {
      const began = elapsed();
      try {
        return await work();
      } finally {
        spent[stage] = (spent[stage] ?? 0) + elapsed() - began;
      }
    },
  };
}
