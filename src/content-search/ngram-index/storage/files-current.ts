import { z } from 'zod';
import { canonicalJson } from '../../../core/canonical-json.ts';
import { sha256Hex } from '../../../core/hash.ts';
import type { SnapshotId } from '../../../core/ports/index.ts';

/** A snapshot has few segments, so `CURRENT` is small; anything larger is none of ours. */
export const CURRENT_MAX_BYTES = 65_536;

const FORMAT = 1;
const CURRENT = z.strictObject({
  format: z.literal(FORMAT),
  /** Of the index that it belongs to. */
  keyHash: z.string(),
  generation: z.int().min(0),
  deltas: z.array(z.int().min(1)),
  /** SHA-256 of the others as canonical JSON. */
  checksum: z.string(),
});

/** The text of `CURRENT`. */
export function encodeCurrent({ generation, deltas }: SnapshotId, keyHash: string): string {
  const body = { format: FORMAT, keyHash, generation, deltas: [...deltas] };
  return `${canonicalJson({ ...body, checksum: sha256Hex(canonicalJson(body)) })}\n`;
}

/** What `CURRENT` says; `DAMAGED` for anything that `encodeCurrent` did not write for this index. */
export function decodeCurrent(text: string, keyHash: string): SnapshotId | 'DAMAGED' {
  const read = CURRENT.safeParse(jsonOf(text));
  if (!read.success) return 'DAMAGED';
  const { generation, deltas } = read.data;
  // Written anew it is the same text, checksum and all, or it was not written here.
  return text === encodeCurrent({ generation, deltas }, keyHash) ? { generation, deltas } : 'DAMAGED';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
