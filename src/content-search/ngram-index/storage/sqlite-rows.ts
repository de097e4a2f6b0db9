import { sha256Hex } from '../../../core/hash.ts';
import type { BuildCheckpoint, IndexCause, IndexKey, IndexMeta, IndexReason, IndexSafety, IndexState } from '../../../core/ports/index.ts';
import { RefusedRecords } from './sqlite-open.ts';

/** A row of `content_index`, without its check. The seed as decimal text: it needs all 64 bits. */
export interface IndexRow {
  key_hash: string;
  root_path: string;
  hidden: number;
  follow: number;
  no_ignore: number;
  backend_id: string;
  backend_capabilities: string;
  tokenizer_id: string;
  casefold_strategy: IndexKey['casefoldStrategy'];
  unicode_normalization: IndexKey['unicodeNormalization'];
  schema_version: number;
  implementation_version: string;
  bloom_ngram: number;
  bloom_m_bits: number;
  bloom_hashes: number;
  bloom_seed: string;
  bloom_target_fp_rate: number;
  bloom_basis_ngrams: number;
  max_tokenized_bytes: number;
  created: number;
  updated: number;
  accessed: number;
  size_bytes: number;
  generation: string | null;
  enumerate_errors: number;
  safety_state: IndexState;
  uncertain_reason: IndexReason | null;
  causes: string;
  mark: number;
  building: number | null;
  watcher_lost: number;
  coverage_epoch: number;
  disabled_until: number | null;
}

export interface CheckpointRow {
  generation: string;
  last_path: Buffer | null;
  epoch: number;
  files: number;
  bytes: number;
  saved: number;
  stop_why: 'DISK' | 'TIME' | 'FILES' | 'BYTES' | null;
  settings: string | null;
  eligible_files: number | null;
  eligible_bytes: number | null;
}

/** Every column, in the order in which the check is made. */
export const INDEX_COLUMNS = [
  ...['key_hash', 'root_path', 'hidden', 'follow', 'no_ignore', 'backend_id', 'backend_capabilities', 'tokenizer_id', 'casefold_strategy'],
  ...['unicode_normalization', 'schema_version', 'implementation_version', 'bloom_ngram', 'bloom_m_bits', 'bloom_hashes', 'bloom_seed'],
  ...['bloom_target_fp_rate', 'bloom_basis_ngrams', 'max_tokenized_bytes', 'created', 'updated', 'accessed', 'size_bytes', 'generation'],
  ...['enumerate_errors', 'safety_state', 'uncertain_reason', 'causes', 'mark', 'building', 'watcher_lost', 'coverage_epoch', 'disabled_until'],
] as readonly (keyof IndexRow)[];

/** The check of a row: over every column but the time of the last access, which is written for its own sake. */
export function checkOf(row: IndexRow): string {
  return sha256Hex(JSON.stringify(INDEX_COLUMNS.filter((column) => column !== 'accessed').map((column) => row[column])));
}

/** @throws RefusedRecords when the row is not as it was written */
export function checked(row: IndexRow & { row_check: string }): IndexRow {
  if (row.row_check !== checkOf(row)) throw new RefusedRecords('DAMAGED', `the record of index ${row.key_hash} is not as it was written`);
  return row;
}

export function rowOf(meta: IndexMeta, safety: IndexSafety): IndexRow {
  return {
    key_hash: meta.keyHash,
    root_path: meta.key.rootPath,
    hidden: Number(meta.key.hidden),
    follow: Number(meta.key.follow),
    no_ignore: Number(meta.key.noIgnore),
    backend_id: meta.key.backendId,
    backend_capabilities: meta.key.backendCapabilities,
    tokenizer_id: meta.key.tokenizerId,
    casefold_strategy: meta.key.casefoldStrategy,
    unicode_normalization: meta.key.unicodeNormalization,
    schema_version: meta.key.schemaVersion,
    implementation_version: meta.key.implementationVersion,
    bloom_ngram: meta.bloom.ngram,
    bloom_m_bits: meta.bloom.mBits,
    bloom_hashes: meta.bloom.hashes,
    bloom_seed: BigInt.asIntN(64, meta.bloom.seed).toString(),
    bloom_target_fp_rate: meta.bloom.targetFpRate,
    bloom_basis_ngrams: meta.bloom.basisNgrams,
    max_tokenized_bytes: meta.maxTokenizedBytes,
    created: meta.createdAtMs,
    updated: meta.updatedAtMs,
    accessed: meta.accessedAtMs,
    size_bytes: meta.sizeBytes,
    generation: meta.generation,
    enumerate_errors: meta.enumerateErrors,
    ...safetyColumns(safety),
  };
}

export function safetyColumns(safety: IndexSafety) {
  return {
    safety_state: safety.state,
    uncertain_reason: safety.reason,
    causes: JSON.stringify(safety.causes.map(({ reason, mark }) => [reason, mark])),
    mark: safety.mark,
    building: safety.building,
    watcher_lost: Number(safety.watcherLost),
    coverage_epoch: safety.epoch,
    disabled_until: safety.disabledUntilMs,
  } satisfies Partial<IndexRow>;
}

export function metaOf(row: IndexRow): IndexMeta {
  return {
    keyHash: row.key_hash,
    key: {
      rootPath: row.root_path,
      hidden: row.hidden === 1,
      follow: row.follow === 1,
      noIgnore: row.no_ignore === 1,
      backendId: row.backend_id,
      backendCapabilities: row.backend_capabilities,
      tokenizerId: row.tokenizer_id,
      casefoldStrategy: row.casefold_strategy,
      unicodeNormalization: row.unicode_normalization,
      schemaVersion: row.schema_version,
      implementationVersion: row.implementation_version,
    },
    bloom: {
      ngram: row.bloom_ngram,
      mBits: row.bloom_m_bits,
      hashes: row.bloom_hashes,
      seed: BigInt.asUintN(64, BigInt(row.bloom_seed)),
      targetFpRate: row.bloom_target_fp_rate,
      basisNgrams: row.bloom_basis_ngrams,
    },
    maxTokenizedBytes: row.max_tokenized_bytes,
    createdAtMs: row.created,
    updatedAtMs: row.updated,
    accessedAtMs: row.accessed,
    sizeBytes: row.size_bytes,
    generation: row.generation,
    enumerateErrors: row.enumerate_errors,
  };
}

/** The row's check was looked at before: its texts are ours. */
export function safetyOf(row: IndexRow): IndexSafety {
  const causes = JSON.parse(row.causes) as readonly (readonly [IndexCause['reason'], number])[];
  return {
    state: row.safety_state,
    reason: row.uncertain_reason,
    causes: causes.map(([reason, mark]) => ({ reason, mark })),
    mark: row.mark,
    building: row.building,
    watcherLost: row.watcher_lost === 1,
    epoch: row.coverage_epoch,
    disabledUntilMs: row.disabled_until,
  };
}

export function checkpointRow({ generation, lastPath, epoch, files, bytes, savedAtMs, stop }: BuildCheckpoint): CheckpointRow {
  return {
    generation,
    last_path: lastPath === null ? null : Buffer.from(lastPath),
    epoch,
    files,
    bytes,
    saved: savedAtMs,
    stop_why: stop?.why ?? null,
    settings: stop?.settings ?? null,
    eligible_files: stop?.eligibleFiles ?? null,
    eligible_bytes: stop?.eligibleBytes ?? null,
  };
}

export function checkpointOf(row: CheckpointRow): BuildCheckpoint {
  const { generation, last_path: lastPath, epoch, files, bytes, saved: savedAtMs, stop_why: why } = row;
  const stop = why === null ? null : { why, settings: row.settings ?? '', eligibleFiles: row.eligible_files ?? 0, eligibleBytes: row.eligible_bytes ?? 0 };
  return { generation, lastPath, epoch, files, bytes, savedAtMs, stop };
}
