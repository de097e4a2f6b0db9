/** What must not happen, and how often it did. */
export const VIOLATIONS = {
  doubled: 'an effect happened twice: a source that was re-created after the first effect was touched, or a result that was taken away came back',
  clobbered: 'a file that stood under the destination before was changed',
  partial: 'a destination showed something else than nothing or the whole content',
  lost: 'an accepted task did not end',
  wrong: 'an answer contradicts the disk, does not verify, or differs from an earlier answer of the same task',
  vanished: 'a content is neither under its source, nor under its destination, nor in the vault',
  leftover: 'a temporary file or an open attempt remained after everything had ended',
  undrained: 'a worker that was asked to stop did not end in time, or not with 0',
  broken: 'a case could not be carried out as written',
  unfenced: 'a stopped process could still act after its open attempt had been finished elsewhere',
} as const;

export type Violation = keyof typeof VIOLATIONS;

/** Things that may happen and are worth a number. */
export type Event =
  | 'tasks'
  | 'success'
  | 'failure'
  | 'replays'
  | 'repushes'
  | 'exhausted'
  | 'unknown'
  | 'fenced'
  | 'missed'
  | 'restarts'
  | 'dataLosses'
  | 'crashedDeliveries'
  /** Temporary files of ours that went away with a directory that somebody moved (docs/protocol.md 5). */
  | 'stranded';

export interface Counts {
  readonly rounds: Record<string, number>;
  readonly events: Record<Event, number>;
  readonly violations: Record<Violation, number>;
  /** The first violations, in words. */
  readonly notes: string[];
  round(kind: string): void;
  event(event: Event): void;
  violation(violation: Violation, note: string): void;
  readonly total: number;
}

const MAX_NOTES = 100;

/** @param tell hears of every violation as it is found */
export function createCounts(tell: (note: string) => void = () => undefined): Counts {
  const zero = <K extends string>(keys: readonly K[]): Record<K, number> => Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
  const events = zero<Event>([
    'tasks',
    'success',
    'failure',
    'replays',
    'repushes',
    'exhausted',
    'unknown',
    'fenced',
    'missed',
    'restarts',
    'dataLosses',
    'crashedDeliveries',
    'stranded',
  ]);
  const violations = zero(Object.keys(VIOLATIONS) as Violation[]);
  const rounds: Record<string, number> = {};
  const notes: string[] = [];
  let total = 0;
  return {
    rounds,
    events,
    violations,
    notes,
    round(kind) {
      rounds[kind] = (rounds[kind] ?? 0) + 1;
      total += 1;
    },
    event(event) {
      events[event] += 1;
    },
    violation(violation, note) {
      violations[violation] += 1;
      const line = `${violation}: ${note}`;
      tell(line);
      if (notes.length < MAX_NOTES) notes.push(line);
    },
    get total() {
      return total;
    },
  };
}
