import { type IngestOp, MAX_INGEST_BYTES, MAX_INGEST_OPS } from '../../../contracts/index.ts';
import type { ImportRecord } from '../../../core/ports/index.ts';

/** Records that go to the writer together. */
export interface ImportBatch {
  readonly ops: readonly IngestOp[];
  /** Of the last record in it. */
  readonly position: string;
  readonly read: number;
  /** Records until then that were good, and that were not, of this run. */
  readonly items: number;
  readonly bad: number;
}

/** A job of this size takes a hundredth of a second to read, and a kill costs no more than it. */
const MAX_OPS = 500;
const MAX_BYTES = 1024 * 1024;

/** Gathers records into batches; bad ones are told and left out. The last batch may be empty of operations. */
export async function* batchesOf(
  records: AsyncIterable<ImportRecord>,
  onBad: (where: string, why: string) => void | Promise<void>,
): AsyncGenerator<ImportBatch, void, void> {
  let ops: IngestOp[] = [];
  let bytes = 0;
  let [items, bad] = [0, 0];
  let last: ImportRecord | undefined;
  for await (const record of records) {
    if ('bad' in record) {
      bad += 1;
      await onBad(record.where, record.bad);
    } else if (isTooLarge(record.ops)) {
      bad += 1;
      await onBad(`record ${items + bad}`, 'it is too large for a job');
    } else {
      const size = record.ops.reduce((sum, op) => sum + sizeOf(op), 0);
      if (last !== undefined && ops.length > 0 && (ops.length + record.ops.length > MAX_OPS || bytes + size > MAX_BYTES)) {
        yield { ops, position: last.position, read: last.read, items, bad };
        [ops, bytes] = [[], 0];
      }
      items += record.isAgain === true ? 0 : 1;
      ops.push(...record.ops);
      bytes += size;
    }
    last = record;
  }
  if (last !== undefined) yield { ops, position: last.position, read: last.read, items, bad };
}

/** A mark may go with it, and which messages it tells of. */
const ROOM_OPS = 2;
const ROOM_BYTES = 64 * 1024;

/** A job that is refused at the door would end the whole import. */
function isTooLarge(ops: readonly IngestOp[]): boolean {
  if (ops.length > MAX_INGEST_OPS - ROOM_OPS) return true;
  const size = ops.reduce((sum, op) => sum + sizeOf(op), 0);
  return size > MAX_BYTES && Buffer.byteLength(JSON.stringify(ops)) > MAX_INGEST_BYTES - ROOM_BYTES;
}

/** About the bytes in JSON: what is long is text. */
function sizeOf(op: IngestOp): number {
  return op.op === 'message' ? 500 + 2 * (op.subject.length + op.body_md.length) : 500;
}
