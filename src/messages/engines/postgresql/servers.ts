import { isTooLate, type Postgresql, type Query } from '../../../adapters/postgresql/open.ts';
import { messageOf } from '../../../core/errors.ts';
import type { EngineAnswer } from '../../../core/ports/message-engine.ts';
import { type Copy, copyIn, isUnfit, type Unfit } from './copy.ts';
import { ExpressionError } from './expression.ts';

/** How long a replica is left after it was found so, milliseconds (docs/message-postgresql.md, Replicas for reading). */
const LEFT_MS = { behind: 250, away: 5000, slow: 5000, unfit: 5000 };
type LeftWhy = keyof typeof LEFT_MS;

/** What was found when a server was asked, for metrics and the log. */
export interface ServerEvent {
  readonly event: 'search.database';
  /** `primary`, `replica_1` and so on. */
  readonly server: string;
  readonly found: 'answered' | LeftWhy;
  /** Changes that it lacked; `null`: nobody knows. */
  readonly behind: number | null;
  readonly message?: string;
}

/** What a server must have to be asked; `textsCount`: the newest texts too, and not only who may see what. */
export interface Standard {
  readonly ofPrimary: (copy: Copy, textsCount: boolean) => Unfit | undefined;
  /** Found out before the first replica is asked. @throws when nobody can say it */
  ofReplicas(): Promise<(copy: Copy) => Unfit | undefined>;
}

export interface ServersParts {
  readonly primary: Postgresql;
  readonly replicas: readonly Postgresql[];
  readonly standard: Standard;
  readonly emit?: (event: ServerEvent) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

export interface Asking {
  /** A page that goes on with an order: its texts may be older. */
  readonly isResuming: boolean;
  /** Whether it may be said how many changes a server lacks: hidden mail could be counted with it. */
  readonly mayCount: boolean;
}

export interface Served<T> {
  readonly value: T;
  /** Who answered and who did not, where there is a choice. */
  readonly notes: readonly string[];
}

export interface Servers {
  /**
   * The work in one transaction of the first server that has what is wanted of it: replicas in turn, then the primary.
   *
   * @throws what the work throws, and when the primary cannot be reached
   */
  read<T>(asking: Asking, work: (query: Query, copy: Copy) => Promise<T>): Promise<EngineAnswer<Served<T>>>;
}

interface Replica {
  readonly name: string;
  readonly postgresql: Postgresql;
  left?: { readonly why: LeftWhy; readonly until: number; readonly behind?: number | undefined } | undefined;
}

type Tried<T> = { readonly value: T } | { readonly unfit: Unfit };

/** The servers of one copy. Nobody but the primary is ever the last resort, and what a replica began another one never goes on with. */
export function createServers({ primary, replicas: databases, standard, emit = () => undefined, elapsed }: ServersParts): Servers {
  const replicas = databases.map((postgresql, index): Replica => ({ name: `replica ${index + 1}`, postgresql }));
  let turn = 0;

  function leave(replica: Replica, why: LeftWhy, { behind, message }: { readonly behind?: number | undefined; readonly message?: string } = {}): void {
    replica.left = { why, until: elapsed() + LEFT_MS[why], behind };
    tell(replica.name, why, behind ?? null, message);
  }

  function tell(name: string, found: ServerEvent['found'], behind: number | null, message?: string): void {
    emit({ event: 'search.database', server: name.replace(' ', '_'), found, behind, ...(message !== undefined && { message }) });
  }

  function primaryFailed(error: unknown): never {
    if (!(error instanceof ExpressionError)) tell('primary', isTooLate(error) ? 'slow' : 'away', null, messageOf(error));
    throw error;
  }

  /** `undefined`: this replica is left, for a reason that it now has. */
  async function tryReplica<T>(replica: Replica, unfitFor: (copy: Copy) => Unfit | undefined, work: (query: Query, copy: Copy) => Promise<T>) {
    let isAtWork = false;
    try {
      const tried = await inTransaction(replica.postgresql, unfitFor, (query, copy) => {
        isAtWork = true;
        return work(query, copy);
      });
      replica.left = undefined;
      if ('value' in tried) return tried;
      leave(replica, tried.unfit.behind === undefined ? 'unfit' : 'behind', { behind: tried.unfit.behind, message: tried.unfit.why });
    } catch (error) {
      if (error instanceof ExpressionError) throw error;
      const isLate = isAtWork && isTooLate(error);
      leave(replica, isLate ? 'slow' : 'away', { message: messageOf(error) });
      if (isLate) throw error;
    }
    return undefined;
  }

  async function readReplicas<T>(work: (query: Query, copy: Copy) => Promise<T>): Promise<{ readonly value: T; readonly name: string } | undefined> {
    const now = elapsed();
    const there = replicas.filter(({ left }) => left === undefined || left.until <= now);
    if (there.length === 0) return undefined;
    const unfitFor = await standard.ofReplicas().catch(primaryFailed);
    turn += 1;
    for (const index of there.keys()) {
      const replica = there[(turn + index) % there.length];
      const tried = replica === undefined ? undefined : await tryReplica(replica, unfitFor, work);
      if (tried !== undefined && replica !== undefined) return { ...tried, name: replica.name };
    }
    return undefined;
  }

  function notesOf(name: string, mayCount: boolean): readonly string[] {
    if (replicas.length === 0) return [];
    const left = replicas.flatMap(({ name: other, left: state }) =>
      state === undefined || other === name ? [] : [`${other} was not asked: ${whyOf(state, mayCount)}`],
    );
    return [`answered by the ${name} of PostgreSQL`, ...left];
  }

  return {
    async read(asking, work) {
      const found = await readReplicas(work);
      if (found !== undefined) {
        tell(found.name, 'answered', 0);
        return { ok: true, value: { value: found.value, notes: notesOf(found.name, asking.mayCount) } };
      }
      const tried = await inTransaction(primary, (copy) => standard.ofPrimary(copy, !asking.isResuming), work).catch(primaryFailed);
      if ('value' in tried) {
        tell('primary', 'answered', 0);
        return { ok: true, value: { value: tried.value, notes: notesOf('primary', asking.mayCount) } };
      }
      const { why, behind } = tried.unfit;
      tell('primary', behind === undefined ? 'unfit' : 'behind', behind ?? null, why);
      return { ok: false, error: { kind: 'index_not_ready', message: behind === undefined || !asking.mayCount ? why : `${why}: ${changes(behind)}` } };
    },
  };
}

async function inTransaction<T>(
  postgresql: Postgresql,
  unfitFor: (copy: Copy) => Unfit | undefined,
  work: (query: Query, copy: Copy) => Promise<T>,
): Promise<Tried<T>> {
  return postgresql.transaction('read', async (query) => {
    const copy = await copyIn(query);
    if (isUnfit(copy)) return { unfit: copy };
    const unfit = unfitFor(copy);
    return unfit === undefined ? { value: await work(query, copy) } : { unfit };
  });
}

const WORDS = { behind: 'it is behind', away: 'it is away', slow: 'it was too slow', unfit: 'it has no copy of these messages that may be asked' };

function whyOf({ why, behind }: NonNullable<Replica['left']>, mayCount: boolean): string {
  return behind === undefined || !mayCount ? WORDS[why] : `${WORDS[why]}: ${changes(behind)}`;
}

function changes(count: number): string {
  return count === 1 ? '1 change' : `${count} changes`;
}
