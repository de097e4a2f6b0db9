import type { PostgresqlTarget } from '../../adapters/postgresql/open.ts';

/** What the settings say of PostgreSQL. */
export interface PostgresqlSettings {
  readonly engine: string;
  readonly postgresql_url: string;
  readonly postgresql_replicas: readonly string[];
  readonly postgresql_password_file: string;
}

/** The server that is written to, and others that follow it and are read. */
export interface PostgresqlServers extends PostgresqlTarget {
  /** Addresses; the password is the same. */
  readonly replicas: readonly string[];
}

/** The database of PostgreSQL, where it has an address and is the engine, or is looked at in the shadow of another. */
export function postgresqlOf({ engine, postgresql_url: url, postgresql_replicas: replicas, postgresql_password_file: passwordFile }: PostgresqlSettings): {
  readonly postgresql?: PostgresqlServers;
} {
  return (engine === 'postgresql' || engine === 'shadow') && url !== '' ? { postgresql: { url, passwordFile, replicas } } : {};
}
