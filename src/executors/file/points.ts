/**
 * The crash points of `docs/protocol.md` sections 5 and 6, in the order in which an effect passes them. `taken-back` and
 * `withdrawn` are on the way back. A point is passed when the step of that name has just been done.
 */
export const CRASH_POINTS = [
  'intent',
  'M1',
  'L1',
  'L2',
  'M2',
  'C1',
  'C2',
  'C3',
  'sealed',
  'C4',
  'C5',
  'published',
  'X6',
  'X7',
  'X8',
  'taken-back',
  'withdrawn',
  'before-close',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Tells the test seam of one run that a point was passed. */
export type PassPoint = (point: CrashPoint) => void;
