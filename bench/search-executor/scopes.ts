import path from 'node:path';
import { KEY, NUMERIC } from './rows.ts';

/** Wall-clock limit of a search for the bench, seconds; the product's default of 30 is for a machine that is used otherwise as well. */
export const MAX_RUN_S = 300;

/** Folders of the generated data. */
export interface Folders {
  readonly files80k: string;
  readonly files1m: string;
  readonly rows: string;
  readonly mail: string;
}

/** Where each thing lies that is searched; the names are those of the scopes. */
export function placesIn({ files80k, files1m, rows, mail }: Folders) {
  return {
    files80k: path.join(files80k, 'tree'),
    files1m: path.join(files1m, 'tree'),
    csv: path.join(rows, 'rows.csv'),
    parquet: path.join(rows, 'rows.parquet'),
    mbox: path.join(mail, 'mbox'),
    maildir: path.join(mail, 'maildir'),
  } as const;
}

export type DataPlaces = ReturnType<typeof placesIn>;
export type ScopeId = keyof DataPlaces;

/** `writ.toml` of the worker: the scopes, the longer limit, and a log that leaves the terminal to the bench; the rest is the product's default. */
export function settingsToml(places: DataPlaces): string {
  const dataset = { primary_key: KEY };
  const scopes = {
    files80k: { kind: 'files' },
    files1m: { kind: 'files' },
    csv: { kind: 'datasets', format: 'csv', ...dataset, numeric: NUMERIC },
    parquet: { kind: 'datasets', format: 'parquet', ...dataset },
    mbox: { kind: 'emails', store: 'mbox' },
    maildir: { kind: 'emails', store: 'maildir' },
  } satisfies Record<ScopeId, object>;
  const tables = Object.entries(scopes).map(([id, scope]) => {
    const lines = Object.entries({ ...scope, path: places[id as ScopeId] }).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    return `[search.scopes.${id}]\n${lines.join('\n')}\n`;
  });
  return `[log]\nlevel = "warn"\n\n[search]\nmax_run_s = ${MAX_RUN_S}\n\n${tables.join('\n')}`;
}
