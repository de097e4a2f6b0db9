/**
 * The crash points of a `once` call, in the order in which it passes them: its intent is on disk and nothing was sent;
 * the answer is there and nobody was told; the signed result is there and not in the journal.
 */
export const CRASH_POINTS = ['intent', 'answered', 'before-close'] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];
