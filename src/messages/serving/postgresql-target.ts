import type { PostgresqlTarget } from '../../adapters/postgresql/open.ts';

/** What the settings say of PostgreSQL. */
export interface PostgresqlSettings {
  readonly engine: string;
  readonly postgresql_url: string;
  readonly postgresql_password_file: string;
}

/** The database of PostgreSQL, where it is the engine and has an address. */
export function postgresqlOf({ engine, postgresql_url: url, postgresql_password_file: passwordFile }: PostgresqlSettings): {
  readonly postgresql?: PostgresqlTarget;
} {
  return engine === 'postgresql' && url !== '' ? { postgresql: { url, passwordFile } } : {};
}
