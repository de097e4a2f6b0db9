import type { DatasetSources } from '../../core/ports/dataset-source.ts';
import { createSqliteTables } from '../sqlite/table/table.ts';
import { createDuckDbColumns } from './columns.ts';
import { createFileBytes } from './file-bytes.ts';
import { loadDuckDb } from './session.ts';

export interface DatasetOptions {
  /** Existing directory in which each search makes a private folder for what DuckDB spills. */
  readonly spillDirectory: string;
  /** What a search may take above the idle process. DuckDB gets half: its limit does not hold for all that it allocates. */
  readonly maxBytes: number;
  /** Threads of DuckDB; answers do not depend on it. */
  readonly threads?: number;
}

/** The data sets of this host. DuckDB is loaded here, so that its 50 MB belong to the idle process; it may be missing. */
export async function createDatasetSources({ spillDirectory, maxBytes, threads = 2 }: DatasetOptions): Promise<DatasetSources> {
  const duckdb = await loadDuckDb();
  const columns = createDuckDbColumns(duckdb, { spillDirectory, memoryBytes: Math.floor(maxBytes / 2), threads });
  return { columns, tables: createSqliteTables(), files: createFileBytes() };
}
