import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { DirtyEntry, EligibilityInput, IndexRecordChanges } from '../../../core/ports/index.ts';
import {
  type CheckpointRow,
  checked,
  checkOf,
  checkpointOf,
  checkpointRow,
  INDEX_COLUMNS,
  type IndexRow,
  metaOf,
  rowOf,
  safetyColumns,
  safetyOf,
} from './sqlite-rows.ts';

type Values = Record<string, string | number | bigint | Uint8Array | null>;

/** The records as statements on an open database; called inside of a transaction. A read-only database refuses the changes. */
export function sqliteRecords(db: SqliteDatabase): IndexRecordChanges {
  const columns = INDEX_COLUMNS.map((column) => (column === 'bloom_seed' ? 'CAST(bloom_seed AS TEXT) AS bloom_seed' : column)).join(', ');
  const selectAll = db.prepare<[], IndexRow & { row_check: string }>(`SELECT ${columns}, row_check FROM content_index ORDER BY key_hash`);
  const selectOne = db.prepare<[string], IndexRow & { row_check: string }>(`SELECT ${columns}, row_check FROM content_index WHERE key_hash = ?`);
  const insert = db.prepare<Values>(
    `INSERT INTO content_index (${INDEX_COLUMNS.join(', ')}, row_check) VALUES (${INDEX_COLUMNS.map((column) => `@${column}`).join(', ')}, @row_check)`,
  );
  const updateOne = db.prepare<Values>(
    `UPDATE content_index SET updated = @updated, size_bytes = @size_bytes, generation = @generation, enumerate_errors = @enumerate_errors,
       safety_state = @safety_state, uncertain_reason = @uncertain_reason, causes = @causes, mark = @mark, building = @building,
       watcher_lost = @watcher_lost, coverage_epoch = @coverage_epoch, disabled_until = @disabled_until, row_check = @row_check
     WHERE key_hash = @key_hash`,
  );
  const touchOne = db.prepare<[number, string]>('UPDATE content_index SET accessed = max(accessed, ?) WHERE key_hash = ?');
  const removeOne = db.prepare<[string]>('DELETE FROM content_index WHERE key_hash = ?');
  const exists = db.prepare<[string], { found: number }>('SELECT 1 AS found FROM content_index WHERE key_hash = ?');
  const selectCheckpoint = db.prepare<[string], CheckpointRow>(
    'SELECT generation, last_path, epoch, files, bytes, saved, stop_why, settings, eligible_files, eligible_bytes FROM checkpoint WHERE key_hash = ?',
  );
  const insertCheckpoint = db.prepare<Values>(
    `INSERT OR REPLACE INTO checkpoint (key_hash, generation, last_path, epoch, files, bytes, saved, stop_why, settings, eligible_files, eligible_bytes)
     VALUES (@key_hash, @generation, @last_path, @epoch, @files, @bytes, @saved, @stop_why, @settings, @eligible_files, @eligible_bytes)`,
  );
  const removeCheckpoint = db.prepare<[string]>('DELETE FROM checkpoint WHERE key_hash = ?');
  const selectInputs = db.prepare<[string], EligibilityInput>('SELECT name, fingerprint FROM eligibility_input WHERE key_hash = ? ORDER BY name');
  const insertInput = db.prepare<[string, string, string]>('INSERT OR REPLACE INTO eligibility_input (key_hash, name, fingerprint) VALUES (?, ?, ?)');
  const removeInputs = db.prepare<[string]>('DELETE FROM eligibility_input WHERE key_hash = ?');
  const selectDirty = db.prepare<[string, number], DirtyEntry>(
    `SELECT path, order_key AS orderKey, kind, queued AS queuedAtMs, seq FROM dirty
     WHERE key_hash = ? ORDER BY queued, order_key, path LIMIT ?`,
  );
  const countDirty = db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM dirty WHERE key_hash = ?');
  const insertDirty = db.prepare<Values>(
    `INSERT INTO dirty (key_hash, path, order_key, kind, queued, seq) VALUES (@keyHash, @path, @orderKey, @kind, @queuedAtMs, @seq)
     ON CONFLICT (key_hash, path) DO UPDATE SET
       kind = CASE WHEN 'SUBTREE' IN (kind, @kind) THEN 'SUBTREE' ELSE 'FILE' END, queued = min(queued, @queuedAtMs), seq = max(seq, @seq)`,
  );
  const removeDirty = db.prepare<[string, Uint8Array, number]>('DELETE FROM dirty WHERE key_hash = ? AND path = ? AND seq <= ?');
  const clearThrough = db.prepare<[string, number]>('DELETE FROM dirty WHERE key_hash = ? AND seq <= ?');
  const clearAll = db.prepare<[string]>('DELETE FROM dirty WHERE key_hash = ?');

  const rowAt = (keyHash: string): IndexRow | undefined => {
    const row = selectOne.get(keyHash);
    return row && checked(row);
  };
  const has = (keyHash: string): boolean => exists.get(keyHash) !== undefined;
  const change = (keyHash: string, changes: Partial<IndexRow>): void => {
    const row = rowAt(keyHash);
    if (row === undefined) return;
    const next = { ...row, ...changes };
    updateOne.run({ ...next, row_check: checkOf(next) });
  };

  return {
    list: () => selectAll.all().map((row) => metaOf(checked(row))),
    meta(keyHash) {
      const row = rowAt(keyHash);
      return row && metaOf(row);
    },
    safety(keyHash) {
      const row = rowAt(keyHash);
      return row && safetyOf(row);
    },
    checkpoint(keyHash) {
      const row = selectCheckpoint.get(keyHash);
      return row && checkpointOf(row);
    },
    inputs: (keyHash) => selectInputs.all(keyHash),
    dirty: (keyHash, limit) => selectDirty.all(keyHash, limit),
    dirtyCount: (keyHash) => countDirty.get(keyHash)?.n ?? 0,
    create(meta, safety) {
      removeOne.run(meta.keyHash);
      const row = rowOf(meta, safety);
      insert.run({ ...row, bloom_seed: BigInt(row.bloom_seed), row_check: checkOf(row) });
    },
    update(keyHash, { sizeBytes, generation, enumerateErrors }, nowMs) {
      change(keyHash, {
        updated: nowMs,
        ...(sizeBytes === undefined ? {} : { size_bytes: sizeBytes }),
        ...(generation === undefined ? {} : { generation }),
        ...(enumerateErrors === undefined ? {} : { enumerate_errors: enumerateErrors }),
      });
    },
    touch: (keyHash, nowMs) => void touchOne.run(nowMs, keyHash),
    setSafety: (keyHash, safety, nowMs) => change(keyHash, { updated: nowMs, ...safetyColumns(safety) }),
    setCheckpoint(keyHash, checkpoint) {
      removeCheckpoint.run(keyHash);
      if (checkpoint !== null && has(keyHash)) insertCheckpoint.run({ key_hash: keyHash, ...checkpointRow(checkpoint) });
    },
    setInputs(keyHash, inputs) {
      removeInputs.run(keyHash);
      if (has(keyHash)) for (const { name, fingerprint } of inputs) insertInput.run(keyHash, name, fingerprint);
    },
    enqueue(keyHash, entries) {
      if (has(keyHash)) for (const entry of entries) insertDirty.run({ keyHash, ...entry });
    },
    dequeue(keyHash, entries) {
      for (const { path, seq } of entries) removeDirty.run(keyHash, path, seq);
    },
    clearDirty: (keyHash, throughSeq) => void (throughSeq === undefined ? clearAll.run(keyHash) : clearThrough.run(keyHash, throughSeq)),
    remove: (keyHash) => void removeOne.run(keyHash),
  };
}
