import { compareCodePoints } from '../../../core/code-points.ts';
import type { DatasetKey, FileBytes, OpenedBytes } from '../../../core/ports/dataset-source.ts';
import type { DatasetScope, Found } from '../../../core/ports/index.ts';
import { createCollector } from '../collector.ts';
import type { ScanQuery } from '../scan.ts';
import { ScanError } from '../scan-error.ts';
import { snippetOf } from '../snippet.ts';
import { createFingerprints } from './fingerprints.ts';
import { parseRecord, type Row } from './json-record.ts';
import { compareKeys, createKeyKindCheck, keyText } from './keys.ts';
import { linesOf } from './lines.ts';

/**
 * JSON Lines: each line an object, each with its own keys; a value that is a JSON string is a text field, whatever stands
 * under the same key elsewhere. Strict JSON: DuckDB's reader also takes `NaN` and closing commas, so it does not read these files.
 */
export async function scanJsonLines(files: FileBytes, scope: DatasetScope, question: ScanQuery): Promise<Found> {
  const file = await files.open(scope.path);
  if (!file.ok) throw new ScanError(file.code, file.message);
  try {
    return await scanFile(file, scope.primaryKey, question);
  } finally {
    await file.close();
  }
}

async function scanFile(file: OpenedBytes, primaryKey: string, { query, maxResults }: ScanQuery): Promise<Found> {
  const collector = createCollector(maxResults, compareKeys);
  const keys = createFingerprints();
  const checkKind = createKeyKindCheck();
  for await (const { row, key } of rowsOf(file, primaryKey)) {
    checkKind(key);
    keys.add(keyText(key));
    const field = firstMatch(row, query);
    if (field === undefined) continue;
    if (!collector.wants(key)) {
      collector.skip();
      continue;
    }
    const hit = hitOf(key, field, query);
    collector.add(key, () => hit);
  }
  await refuseRepeated(file, primaryKey, keys.repeated());
  return collector.found();
}

/** Fingerprints that are equal may belong to different keys: those keys, and no others, are read again and compared. */
async function refuseRepeated(file: OpenedBytes, primaryKey: string, suspects: { has(text: string): boolean; readonly none: boolean }): Promise<void> {
  if (suspects.none) return;
  const seen = new Set<string>();
  for await (const { key } of rowsOf(file, primaryKey)) {
    const text = keyText(key);
    if (!suspects.has(text)) continue;
    if (seen.has(text)) throw new ScanError('EXECUTION_FAILED', 'the primary key is not unique');
    seen.add(text);
  }
}

async function* rowsOf(file: OpenedBytes, primaryKey: string): AsyncIterable<{ row: Row; key: DatasetKey }> {
  for await (const lines of linesOf(file.chunks())) {
    for (const { text, number } of lines) yield parseRecord(text, number, primaryKey);
  }
}

interface Field {
  readonly name: string;
  readonly text: string;
  readonly at: number;
}

function firstMatch(row: Row, query: string): Field | undefined {
  let first: Field | undefined;
  for (const [name, text] of Object.entries(row)) {
    if (typeof text !== 'string' || (first !== undefined && compareCodePoints(first.name, name) < 0)) continue;
    const at = text.indexOf(query);
    if (at >= 0) first = { name, text, at };
  }
  return first;
}

function hitOf(key: DatasetKey, { name, text, at }: Field, query: string) {
  return { id: keyText(key), match_field: name, match_snippet: snippetOf(text, at, query) };
}
