/** Lets a bounded number of calls run; the others wait in order. */
export interface Gate {
  /** Runs `start` now or when a place is free. Whoever started calls `leave` exactly once. */
  enter(start: () => void): void;
  leave(): void;
}

export function createGate(places: number): Gate {
  let free = places;
  // A ring by two arrays: shift() of one long array costs its length.
  let arriving: (() => void)[] = [];
  let leaving: (() => void)[] = [];

  return {
    enter(start) {
      if (free > 0) {
        free -= 1;
        start();
      } else arriving.push(start);
    },
    leave() {
      if (leaving.length === 0 && arriving.length > 0) {
        leaving = arriving.reverse();
        arriving = [];
      }
      const next = leaving.pop();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
