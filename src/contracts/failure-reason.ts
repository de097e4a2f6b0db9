import { z } from 'zod';

/** Who can mend what made a task fail: whoever pushed it, this host (its disks, its settings, its operators), or the tool that was called. */
export const FAILURE_OWNERS = ['producer', 'host', 'tool'] as const;
export type FailureOwner = (typeof FAILURE_OWNERS)[number];

/** The closed set of reasons, whose each is, and what it means; docs/generated/errors.md shows it. */
export const FAILURE_REASONS = {
  bad_request: { whose: 'producer', means: 'Inputs, constraints or the job itself break a rule of the contract.' },
  unsupported: { whose: 'producer', means: 'No executor of this queue does that, or the lease does not cover it.' },
  lease_invalid: { whose: 'producer', means: 'The lease is missing, of another manifest, or not signed by a kernel that is trusted here.' },
  lease_expired: { whose: 'producer', means: 'The lease had ended before the task began.' },
  scope_not_allowed: { whose: 'producer', means: 'The manifest names a scope or a path that it may not search.' },
  outside_base: { whose: 'producer', means: 'A path leaves its base directory or `constraints.scope`: directly, by a symbolic link or over a mount.' },
  source_missing: { whose: 'producer', means: 'There is no file at the source, or nothing at the path to be searched.' },
  destination_taken: { whose: 'producer', means: 'Something stands at the destination, which is never replaced.' },
  directory_missing: { whose: 'producer', means: 'A directory on the way to the source or the destination does not exist.' },
  wrong_type: { whose: 'producer', means: 'What stands there is a directory, a link, a device, or a file that cannot travel.' },
  changed_meanwhile: { whose: 'producer', means: 'Somebody else changed, moved or removed the file while the task was at work.' },
  too_large: { whose: 'producer', means: 'The file or the answer is larger than what was agreed.' },
  id_conflict: { whose: 'producer', means: 'The task_id belongs to another manifest, or to a task that was done long ago.' },
  undo_refused: { whose: 'producer', means: 'The undo is not of exactly the recorded effect, or it came too late.' },
  cancelled: { whose: 'producer', means: 'Somebody asked for it.' },
  lease_revoked: { whose: 'host', means: 'An operator took the lease or its key back.' },
  lease_clock: { whose: 'host', means: 'The lease was issued in the future: the clocks of kernel and worker differ.' },
  io_error: { whose: 'host', means: 'A disk or a mailbox answered with an error.' },
  disk_full: { whose: 'host', means: 'A file system, or its quota, has no room.' },
  vault_full: { whose: 'host', means: 'The vault of deleted files has reached its limit.' },
  permission_denied: { whose: 'host', means: 'The account of the worker may not read or write there, or the file system is read-only.' },
  file_system_unfit: { whose: 'host', means: 'The file system cannot move or link without replacing, or vault and base lie on different ones.' },
  place_exchanged: { whose: 'host', means: 'A base directory was mounted over, renamed away or replaced.' },
  outcome_unknown: { whose: 'host', means: 'After a crash or an error nobody can tell what happened to the file; a person looks.' },
  worker_lost: { whose: 'host', means: 'Workers were lost while they ran the task.' },
  worker_fault: { whose: 'host', means: 'The task crashed in the worker, or its search process died.' },
  time_limit: { whose: 'host', means: 'The task ran longer than its wall-clock limit.' },
  host_limit: { whose: 'host', means: 'Memory, descriptors, or a limit of the search settings.' },
  source_unreadable: { whose: 'host', means: 'What a scope stands for cannot be reached, or its data is damaged.' },
  tool_unavailable: { whose: 'host', means: 'The tool is not bound on this host, or its settings or secrets are missing.' },
  approval_denied: { whose: 'producer', means: 'Somebody with the role that the step names said no.' },
  approval_expired: { whose: 'producer', means: 'Nobody with the role that the step names answered before its deadline.' },
  tool_failed: { whose: 'tool', means: 'The tool could not be reached, or it refused.' },
  tool_outcome_unknown: { whose: 'tool', means: 'The request was sent, and nobody can tell whether it had its effect.' },
  unexplained: { whose: 'host', means: 'A sentence that the table of reasons does not know.' },
} as const satisfies Record<string, { readonly whose: FailureOwner; readonly means: string }>;

export type FailureReason = keyof typeof FAILURE_REASONS;
export const FAILURE_REASON_NAMES = Object.keys(FAILURE_REASONS) as [FailureReason, ...FailureReason[]];

/**
 * Why a task failed and whose that is: what follows from the error code and the sentence of a result. No part of what is
 * signed, whose shape is closed; whoever has the result can work it out again.
 */
export const FailureCause = z.strictObject({ reason: z.enum(FAILURE_REASON_NAMES), whose: z.enum(FAILURE_OWNERS) });
export type FailureCause = z.infer<typeof FailureCause>;
