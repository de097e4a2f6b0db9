import { z } from 'zod';
import { INDEX_STATES } from './content-search.ts';
import { Sha256Hex } from './ids.ts';

/**
 * The content-search index as people and programs see it: `writ index`, `GET /v1/index`, the client. Names in snake case,
 * times in RFC 3339 with milliseconds (local-search-index.md 4.2, 4.3, Appendix D).
 */

export const INDEX_MODES = ['off', 'auto', 'on'] as const;

/** Why an index is UNCERTAIN or DISABLED (Appendix D). */
export const INDEX_REASONS = [
  'WATCHER_OVERFLOW',
  'WATCHER_OVERFLOW_DURING_BUILD',
  'WATCHER_DOWN',
  'ELIGIBILITY_CHANGED',
  'POLICY_CHANGED',
  'ENUMERATION_ERROR',
  'RENAME_UNCERTAIN',
  'OPEN_REQUIRES_VALIDATION',
  'BUILD_BUDGET_EXCEEDED',
  'MAINT_BUDGET_EXCEEDED',
  'DIRTY_BACKLOG',
  'BELOW_THRESHOLD',
  'PERSISTENCE_NOT_PERMITTED',
  'MEMORY_BUDGET_EXCEEDED',
] as const;

/** Why the index host allows no exclusion at this moment, whatever the state is. */
export const INDEX_VETOES = ['NOT_ARMED', 'OVERFLOW', 'WATCHER_DOWN', 'ELIGIBILITY', 'POLICY', 'MOUNT', 'HARD_LINK', 'BACKLOG', 'NOT_COMPLETE'] as const;

/** How fresh an index is known to be: by events of the file system, by looking at each file, or not at all. */
export const INDEX_GUARANTEES = ['inotify', 'stat', 'none'] as const;

/** What the index host does for one root; `build`, `reconcile`, `check` and `drop` may be asked for from outside. */
export const INDEX_TASK_KINDS = ['build', 'reconcile', 'update', 'merge', 'check', 'drop'] as const;
export const IndexTaskKind = z.enum(INDEX_TASK_KINDS);
export type IndexTaskKind = z.infer<typeof IndexTaskKind>;

export const INDEX_ACTIONS = ['build', 'reconcile', 'drop', 'check'] as const satisfies readonly IndexTaskKind[];
export const IndexAction = z.enum(INDEX_ACTIONS);
export type IndexAction = z.infer<typeof IndexAction>;

/** ENUMERATE to ACTIVATE are those of a build, in this order (FR-LSI-BG-20); VALIDATE compares an index with the tree. */
export const INDEX_PHASES = ['ENUMERATE', 'TOKENIZE', 'PERSIST', 'ACTIVATE', 'VALIDATE', 'CHECK'] as const;

const Time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);

export const IndexActivity = z.strictObject({
  kind: IndexTaskKind,
  phase: z.enum(INDEX_PHASES),
  done: count.meta({ description: 'Files that this phase has dealt with.' }),
  total: count.nullable().meta({ description: 'Files that this phase has to deal with; null while nobody knows.' }),
  started_at: Time,
});
export type IndexActivity = z.infer<typeof IndexActivity>;

export const IndexTaskEnd = z.strictObject({
  kind: IndexTaskKind,
  job: z.string().nullable().meta({ description: 'The job that asked for it; null when the host did it on its own.' }),
  ok: z.boolean(),
  detail: z.string().meta({ description: 'What came of it, a sentence: what a check found wrong, why a build failed.' }),
  ended_at: Time,
  elapsed_ms: count,
});
export type IndexTaskEnd = z.infer<typeof IndexTaskEnd>;

export const IndexStatus = z
  .strictObject({
    root: z.string().meta({ description: 'Canonical path of the index root; bytes that are not UTF-8 are U+FFFD.' }),
    key_hash: Sha256Hex.nullable().meta({ description: 'Of everything that the index is built for; null until a host has opened this root once.' }),
    state: z.enum(INDEX_STATES),
    reason: z.enum(INDEX_REASONS).nullable().meta({ description: 'In UNCERTAIN always; in DISABLED unless the mode is off.' }),
    host: z.enum(['running', 'stopped']).meta({ description: 'Whether the process answers that watches and builds; without it no file is left out.' }),
    veto: z.enum(INDEX_VETOES).nullable().meta({ description: 'Why the host allows no exclusion at this moment.' }),
    serving: z.boolean().meta({ description: 'Whether searches may leave files out: host running, COMPLETE, no veto.' }),
    guarantee: z.enum(INDEX_GUARANTEES),
    storage_mode: z.enum(['memory', 'sqlite', 'none']),
    storage_fallback_reason: z.string().nullable(),
    files: count.nullable().meta({ description: 'Files in the catalog of the index; null while no host tells.' }),
    bytes: count.meta({ description: 'Bytes that the active generation takes, on disk or in memory.' }),
    generation: count.nullable(),
    deltas: count.nullable().meta({ description: 'Segments on top of the base; null while no host tells.' }),
    overlay: z
      .strictObject({ files: count, subtrees: count })
      .meta({ description: 'What has changed since the last segment was written; searches look at it themselves.' }),
    activity: IndexActivity.nullable().meta({ description: 'What is done now.' }),
    last_build: z.strictObject({ elapsed_ms: count, files: count, bytes: count.meta({ description: 'Bytes that were read.' }), ended_at: Time }).nullable(),
    ended: z.array(IndexTaskEnd).meta({ description: 'The last end of each kind of task, the newest first.' }),
  })
  .meta({ description: 'The index of one root.' });
export type IndexStatus = z.infer<typeof IndexStatus>;

export const IndexReport = z
  .strictObject({
    mode: z.enum(INDEX_MODES).meta({ description: '`tools.search.index_mode`.' }),
    indexes: z.array(IndexStatus).meta({ description: 'One for each configured root, and those that are kept beside them, by root.' }),
  })
  .meta({ description: 'All content-search indexes of this pool.' });
export type IndexReport = z.infer<typeof IndexReport>;

/** Why a request was not taken. */
export const INDEX_REFUSALS = ['INDEX_OFF', 'NO_SUCH_INDEX', 'HOST_DOWN'] as const;

export const IndexReceipt = z
  .strictObject({
    job: z.string().meta({ description: 'Appears in `ended` of the status when it is done.' }),
    joined: z.boolean().meta({ description: 'Whether the same was waiting already; then `job` is that one.' }),
  })
  .meta({ description: 'The task is queued.' });
export type IndexReceipt = z.infer<typeof IndexReceipt>;
