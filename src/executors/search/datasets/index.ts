import type { DatasetMatch, DatasetRefusal, DatasetSources } from '../../../core/ports/dataset-source.ts';
import type { DatasetScope, Found, Hit } from '../../../core/ports/index.ts';
import { createCollector } from '../collector.ts';
import type { Scan, ScanQuery } from '../scan.ts';
import { ScanError } from '../scan-error.ts';
import { snippetOf } from '../snippet.ts';
import { scanJsonLines } from './json-lines.ts';
import { compareKeys, keyText } from './keys.ts';

/**
 * SEARCH_DATASETS (search-executor.md 7.3): every text field of every record, hits in the order of the primary key.
 * Every key of the data set is checked, not only those of hits: missing, null, NaN, mixed or repeated ones fail the search.
 */
export function createDatasetsScan(sources: DatasetSources): Scan<DatasetScope> {
  const byFormat = {
    csv: (scope, question) => scanColumns(sources, scope, question),
    parquet: (scope, question) => scanColumns(sources, scope, question),
    jsonl: (scope, question) => scanJsonLines(sources.files, scope, question),
    sqlite: (scope, question) => scanTable(sources, scope, question),
  } satisfies Record<DatasetScope['format'], Scan<DatasetScope>>;
  return (scope, question) => byFormat[scope.format](scope, question);
}

async function scanColumns({ columns }: DatasetSources, scope: DatasetScope, { query, maxResults }: ScanQuery): Promise<Found> {
  const answer = await columns.first(scope, query, maxResults);
  if (!answer.ok) throw refused(answer);
  return { count: answer.count, hits: answer.matches.map((match) => hitOf(match, query)) };
}

async function scanTable({ tables }: DatasetSources, scope: DatasetScope, { query, maxResults }: ScanQuery): Promise<Found> {
  const collector = createCollector(maxResults, compareKeys);
  const answer = tables.read(scope, query, maxResults, (match) => {
    if (!collector.wants(match.key)) return;
    const hit = hitOf(match, query);
    collector.add(match.key, () => hit);
  });
  if (!answer.ok) throw refused(answer);
  return { count: answer.count, hits: collector.found().hits };
}

function hitOf({ key, field, text }: DatasetMatch, query: string): Hit {
  return { id: keyText(key), match_field: field, match_snippet: snippetOf(text, text.indexOf(query), query) };
}

function refused({ code, message }: DatasetRefusal): ScanError {
  return new ScanError(code, message);
}
