import { messageOf } from '../../core/errors.ts';
import type { DatasetRefusal, RankedDataset, RankedMatches } from '../../core/ports/dataset-source.ts';
import type { DatasetScope } from '../../core/ports/index.ts';
import { csvLayout } from './csv-layout.ts';
import { BrokenDataSet, type Layout, TooLong } from './layout.ts';
import { parquetLayout } from './parquet-layout.ts';
import { openRegularFile, unavailable } from './regular-file.ts';
import { search } from './search.ts';
import { type DuckDb, type DuckDbOptions, type Session, withSession } from './session.ts';

interface Source {
  readonly fd: number;
  /** The same file as a path. */
  readonly path: string;
}

type ColumnFormat = 'csv' | 'parquet';

const LAYOUTS = { csv: csvLayout, parquet: parquetLayout } satisfies Record<
  ColumnFormat,
  (scope: DatasetScope, source: Source, session: Session) => Promise<Layout>
>;

/** CSV and Parquet files through DuckDB, which is an optional package. */
export function createDuckDbColumns(duckdb: DuckDb | undefined, options: DuckDbOptions): RankedDataset {
  return {
    async first(scope, query, maxResults) {
      if (duckdb === undefined) return unavailable('CSV and Parquet need the optional package @duckdb/node-api, which is not installed');
      const file = await openRegularFile(scope.path);
      if (!file.ok) return file;
      const source = { fd: file.fd, path: `/proc/self/fd/${file.fd}` };
      try {
        return await withSession(duckdb, source.path, options, (session) => answer(session, scope, source, query, maxResults));
      } finally {
        await file.close();
      }
    },
  };
}

async function answer(session: Session, scope: DatasetScope, source: Source, query: string, maxResults: number): Promise<RankedMatches | DatasetRefusal> {
  try {
    const layout = await LAYOUTS[scope.format === 'csv' ? 'csv' : 'parquet'](scope, source, session);
    // Both to their end: DuckDB must not lose its session, and what is malformed has the first word.
    const [checked, searched] = await Promise.allSettled([layout.check(), search(session, layout, query, maxResults)]);
    if (checked.status === 'rejected') throw checked.reason;
    if (searched.status === 'rejected') {
      if (/^Invalid Input Error/.test(messageOf(searched.reason))) await layout.findFault();
      throw searched.reason;
    }
    return { ok: true, ...searched.value };
  } catch (error) {
    if (error instanceof BrokenDataSet) return { ok: false, code: 'EXECUTION_FAILED', message: error.message };
    if (error instanceof TooLong) return { ok: false, code: 'RESOURCE_EXHAUSTED', message: error.message };
    const refusal = refusalOf(messageOf(error), scope.format);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/** DuckDB's own messages quote the file's contents and path, so only what they mean is handed on; undefined for an error of another kind. */
function refusalOf(message: string, format: string): DatasetRefusal | undefined {
  if (/^Out of Memory Error/i.test(message)) return { ok: false, code: 'RESOURCE_EXHAUSTED', message: 'the search needs more memory than it may take' };
  if (/Maximum line size/i.test(message)) return { ok: false, code: 'RESOURCE_EXHAUSTED', message: 'a record is longer than 4 MiB' };
  const kind = /^[A-Za-z ]{1,40} Error/.exec(message)?.[0];
  return kind === undefined ? undefined : { ok: false, code: 'EXECUTION_FAILED', message: `the file cannot be read as ${format} to its end (${kind})` };
}
