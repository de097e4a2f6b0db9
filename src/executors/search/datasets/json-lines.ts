import type { FileBytes, OpenedBytes } from '../../../core/ports/dataset-source.ts';
import type { DatasetScope, Found } from '../../../core/ports/index.ts';
import { createCollector } from '../collector.ts';
import type { ScanQuery } from '../scan.ts';
import { ScanError } from '../scan-error.ts';
import { snippetOf } from '../snippet.ts';
import { createFingerprints, type Suspects } from './fingerprints.ts';
import { createRecordReader } from './json-reader.ts';
import { compareKeys, createKeyKindCheck } from './keys.ts';
import { eachLine } from './lines.ts';

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
  const fingerprints = createFingerprints();
  const reader = createRecordReader(primaryKey, query);
  const checkKind = createKeyKindCheck();
  await eachLine(file.chunks(), (bytes, from, to, number) => {
    reader.read(bytes, from, to, number);
    checkKind(reader.hasTextKey());
    reader.writtenKey(fingerprints.add);
    if (!reader.matches()) return;
    const key = reader.key();
    if (!collector.wants(key)) return collector.skip();
    const { name, text } = reader.field();
    const hit = { id: reader.id(), match_field: name, match_snippet: snippetOf(text, text.indexOf(query), query) };
    collector.add(key, () => hit);
  });
  for (const suspects of fingerprints.repeated()) await refuseRepeated(file, primaryKey, suspects);
  return collector.found();
}

/** Fingerprints that are equal may belong to different keys: those keys, and no others, are read again and compared. */
async function refuseRepeated(file: OpenedBytes, primaryKey: string, suspects: Suspects): Promise<void> {
  const seen = new Set<string>();
  const reader = createRecordReader(primaryKey, '');
  await eachLine(file.chunks(), (bytes, from, to, number) => {
    reader.read(bytes, from, to, number);
    reader.writtenKey((written, start, end) => {
      if (!suspects.has(written, start, end)) return;
      const text = reader.id();
      if (seen.has(text)) throw new ScanError('EXECUTION_FAILED', 'the primary key is not unique');
      seen.add(text);
    });
  });
}
