import { z } from 'zod';
import { CAPABILITIES } from './capability.ts';
import { TaskId } from './ids.ts';

/**
 * What a producer asks for. Optional fields stay absent in the canonical form: nothing is filled in
 * before the manifest is hashed, because a lease is permission for exactly these bytes.
 * Only the shape is judged here; `inputs` belong to the executor of the capability (design 3).
 */
export const TaskManifest = z.strictObject({
  task_id: TaskId,
  capability_id: z.string().min(1).max(64),
  inputs: z.record(z.string().max(128), z.unknown()),
  constraints: z.strictObject({
    /** A directory prefix for file tasks; kernel and executor both check it. */
    scope: z.string().min(1).max(4096).optional(),
    /** Must be literally true for FILE_DELETE (file-executor.md 6.3). */
    reversible: z.boolean().optional(),
    sensitivity: z.enum(['LOW', 'MEDIUM', 'HIGH']).optional(),
    /** The kernel signs such a manifest only with a recorded human confirmation. */
    hrc_required: z.boolean().optional(),
  }),
  provenance: z
    .strictObject({
      ast_hash: z.string().max(256).optional(),
      /** Set by the kernel only: this task takes back the effect of that one. */
      undo_of: TaskId.optional(),
      plan_sha256: z.string().max(64).optional(),
      step: z.string().max(1024).optional(),
    })
    .optional(),
});
export type TaskManifest = z.infer<typeof TaskManifest>;

/**
 * The same where a producer is told at once what is wrong: a capability that no executor has is no manifest there. On the raw queue
 * it is an executor that says so, in a signed answer (file-executor.md 2).
 */
export const OfferedManifest = TaskManifest.extend({
  capability_id: TaskManifest.shape.capability_id.refine((id) => CAPABILITIES.includes(id), {
    message: `must be one of ${CAPABILITIES.join(', ')}`,
    params: { known: CAPABILITIES },
  }),
});
