import { isThere } from '../../adapters/files/is-there.ts';
import { openPostgresql, type Query } from '../../adapters/postgresql/open.ts';
import { broken, type Finding, type Probe, passed, warning } from '../../core/findings.ts';
import { counted } from '../../core/units.ts';
import { type Copy, copyIn, isUnfit, type Unfit, unfitAlone, unfitFor } from '../engines/postgresql/copy.ts';
import { SCHEMA } from '../engines/postgresql/schema.ts';
import { openMessagesReader } from '../store/open.ts';
import { createPositionReader, type Position } from '../store/position.ts';
import { type PostgresqlSettings, postgresqlOf } from './postgresql-target.ts';

/** Milliseconds in which a server must be there, and answer. */
const PATIENCE_MS = 3000;

const READ_PAGE = 'docs/message-postgresql.md says how the database is made';

/** Asks each server of PostgreSQL what it has of the messages, and how far that is behind: the primary behind the store, replicas behind the primary. */
export function postgresqlProbes(settings: PostgresqlSettings & { readonly enabled: boolean; readonly read_only: boolean }, file: string): readonly Probe[] {
  const { postgresql: target } = settings.enabled ? postgresqlOf(settings) : {};
  if (target === undefined) return [];
  const read = <T>(url: string, work: (query: Query) => Promise<T>): Promise<T> => readOnce(url, target.passwordFile, work);
  const primary: Probe = {
    title: 'PostgreSQL',
    look: async () => primaryFinding(await read(target.url, copyIn), settings.read_only ? undefined : storeOf(file)),
    todo: `look whether the server runs, and into its log; until it answers, searches take SQLite; ${READ_PAGE}`,
  };
  const replicas = target.replicas.map(
    (url, index): Probe => ({
      title: `Replica ${index + 1}`,
      look: async () => {
        // Asked before: what the replica has, the primary had.
        const first = await read(target.url, copyIn);
        return replicaFinding(first, await read(url, replicaState));
      },
      todo: 'look whether the server runs, and into its log; until it answers, searches take the others',
    }),
  );
  return [primary, ...replicas];
}

async function readOnce<T>(url: string, passwordFile: string, work: (query: Query) => Promise<T>): Promise<T> {
  const wishes = { schema: SCHEMA, statementMs: PATIENCE_MS, most: 1, awayMs: 0, promptMs: PATIENCE_MS };
  const postgresql = openPostgresql({ url, passwordFile }, wishes);
  try {
    return await postgresql.transaction('read', work);
  } finally {
    await postgresql.close();
  }
}

function storeOf(file: string): Position | undefined {
  if (!isThere(file)) return undefined;
  const db = openMessagesReader(file);
  try {
    return createPositionReader(db)();
  } finally {
    db.close();
  }
}

function primaryFinding(found: Awaited<ReturnType<typeof copyIn>>, store: Position | undefined): Finding {
  if (isUnfit(found)) return broken(found.why, READ_PAGE);
  const unfit = store === undefined ? unfitAlone(found) : unfitFor(found, store, true);
  if (unfit === undefined) return passed('has everything');
  if (unfit.behind === undefined) return broken(unfit.why, READ_PAGE);
  return warning(`${counted(unfit.behind, 'change')} behind the store`, 'the API copies them; its log says why it does not');
}

interface ReplicaState {
  readonly copy: Awaited<ReturnType<typeof copyIn>>;
  readonly isReplica: boolean;
  /** Whole seconds since the newest transaction that it has was made; `null`: it has none. */
  readonly age: number | null;
}

async function replicaState(query: Query): Promise<ReplicaState> {
  const copy = await copyIn(query);
  const text = 'SELECT pg_is_in_recovery(), floor(extract(epoch FROM now() - pg_last_xact_replay_timestamp()))::int';
  const [[isReplica, age] = []] = await query({ text, params: [] });
  return { copy, isReplica: isReplica === true, age: typeof age === 'number' ? age : null };
}

function replicaFinding(primary: Copy | Unfit, { copy, isReplica, age }: ReplicaState): Finding {
  if (isUnfit(copy)) return broken(copy.why, READ_PAGE);
  if (!isReplica)
    return broken(
      'is no replica: nothing arrives there',
      'make it a hot standby of the primary (pg_basebackup -R), or take it out of messages.postgresql_replicas',
    );
  if (isUnfit(primary)) return warning(`cannot be compared: ${primary.why}`, READ_PAGE);
  if (copy.store !== primary.store) return broken('has a copy of other messages', READ_PAGE);
  const behind = Math.max(primary.seq - copy.seq, primary.places - copy.places);
  if (behind <= 0) return passed('has everything');
  const since = age === null ? '' : `, its newest change came ${age} s ago`;
  return warning(
    `${counted(behind, 'change')} behind the primary${since}`,
    'searches take the others meanwhile; if it stays so, look at pg_stat_replication of the primary',
  );
}
