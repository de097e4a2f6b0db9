import { VIOLATIONS } from './counts.ts';

/** What the counts of a run must be. */
export const NOTHING_WRONG: Readonly<Record<string, number>> = Object.fromEntries(Object.keys(VIOLATIONS).map((violation) => [violation, 0]));
