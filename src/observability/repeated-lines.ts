/** What one line stands for. */
const HOLD_MS = 30_000;

/** Lines of other words are few; more of them at once begin anew. */
const MAX_KINDS = 64;

interface Said {
  readonly since: number;
  held: number;
}

/**
 * Holds back lines that say again what was said a moment ago, as connections do that are tried again and again: one stands
 * for all of half a minute. Answers how many were held back since, or nothing for a line that is to be held back.
 *
 * @param now milliseconds of any origin
 */
export function createRepeatBound(now: () => number): (line: string) => number | undefined {
  const said = new Map<string, Said>();
  return (line) => {
    const before = said.get(line);
    if (before !== undefined && now() - before.since < HOLD_MS) {
      before.held += 1;
      return undefined;
    }
    if (before === undefined && said.size >= MAX_KINDS) said.clear();
    said.set(line, { since: now(), held: 0 });
    return before?.held ?? 0;
  };
}
