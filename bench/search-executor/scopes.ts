import path from 'node:path';
import { KEY, NUMERIC } from './rows.ts';

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
    jsonl: path.join(rows, 'rows.jsonl'),
    mbox: path.join(mail, 'mbox'),
    maildir: path.join(mail, 'maildir'),
  } as const;
}

export type DataPlaces = ReturnType<typeof placesIn>;
export type ScopeId = keyof DataPlaces;

/** `writ.toml` of the worker: the scopes, and a log that leaves the terminal to the bench; the rest is the product's default. */
export function settingsToml(places: DataPlaces): string {
  const dataset = { primary_key: KEY };
  const scopes = {
    files80k: { kind: 'files' },
    files1m: { kind: 'files' },
    csv: { kind: 'datasets', format: 'csv', ...dataset, numeric: NUMERIC },
    parquet: { kind: 'datasets', format: 'parquet', ...dataset },
    jsonl: { kind: 'datasets', format: 'jsonl', ...dataset },
    mbox: { kind: 'emails', store: 'mbox' },
    maildir: { kind: 'emails', store: 'maildir' },
  } satisfies Record<ScopeId, object>;
  const tables = Object.entries(scopes).map(([id, scope]) => {
    const lines = Object.entries({ ...scope, path: places[id as ScopeId] }).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    return `[search.scopes.${id}]\n${lines.join('\n')}\n`;
  });
  return `[log]\nlevel = "warn"\n\n${tables.join('\n')}`;
}
