/** Resident size of a process when so many of the tasks were answered. */
export interface Sample {
  readonly done: number;
  readonly mib: number;
}

export interface Flatness {
  readonly samples: number;
  /** Most in the first tenth of the tasks, in the second half, and at all; MiB. */
  readonly firstTenth: number;
  readonly secondHalf: number;
  readonly most: number;
  /** What the second half may have at most. */
  readonly bound: number;
  readonly flat: boolean;
}

/** Factor, and MiB on top: V8's heap breathes. */
export const FLAT = { factor: 1.25, mib: 64 };

/** Whether a process that went through `tasks` tasks kept its size: what it holds must not grow with what it has answered. */
export function flatnessOf(samples: readonly Sample[], tasks: number): Flatness {
  const most = (part: readonly Sample[]): number => part.reduce((size, { mib }) => Math.max(size, mib), 0);
  const firstTenth = most(samples.filter(({ done }) => done <= tasks / 10));
  const secondHalf = most(samples.filter(({ done }) => done >= tasks / 2));
  const bound = Math.round((firstTenth * FLAT.factor + FLAT.mib) * 10) / 10;
  return { samples: samples.length, firstTenth, secondHalf, most: most(samples), bound, flat: firstTenth > 0 && secondHalf > 0 && secondHalf <= bound };
}
