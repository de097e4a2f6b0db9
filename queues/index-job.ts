import { z } from 'zod';
import { IndexTaskKind, Sha256Hex } from '../src/contracts/index.ts';
import type { IndexTask } from '../src/core/ports/index.ts';

/** The data of a job of the queue `index-maintenance`. */
const IndexJobData = z.strictObject({ v: z.literal(1), key_hash: Sha256Hex, kind: IndexTaskKind, reason: z.string().max(200) });

export type ReadIndexJob = { readonly ok: true; readonly task: IndexTask } | { readonly ok: false; readonly message: string };

/** Whoever can write to Redis can put anything there: the worst that a well-formed job does is work on an index. */
export function readIndexJob({ data }: { readonly data: unknown }): ReadIndexJob {
  const parsed = IndexJobData.safeParse(data);
  if (!parsed.success) return { ok: false, message: 'INVALID_MANIFEST: the job is no maintenance task' };
  const { key_hash: keyHash, kind, reason } = parsed.data;
  return { ok: true, task: { keyHash, kind, reason } };
}
