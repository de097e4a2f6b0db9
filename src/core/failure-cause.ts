import { type ExecutionResult, FAILURE_REASONS, type FailureCause, type FailureReason, type ResultErrorCode } from '../contracts/index.ts';
import { CANCELLED_MESSAGE } from './outcome.ts';
import { CONFLICT_MESSAGE, GATE_MESSAGES, UNPROVEN_CONFLICT_MESSAGE } from './refusal.ts';

type Row = readonly [sentence: RegExp, reason: FailureReason];

/** What a code means by itself, or its sentences in this order and what it means for any other one. */
type Rows = FailureReason | { readonly rows: readonly Row[]; readonly otherwise: FailureReason };

const is = (sentence: string): RegExp => new RegExp(`^${escaped(sentence)}$`);
const beginsWith = (sentence: string): RegExp => new RegExp(`^${escaped(sentence)}`);

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Sentences of EXECUTION_FAILED. Those come first in which a producer's own words stand, and each is anchored: no name of a
 * field or file can pass for another row. What is unclear about an effect outweighs why it is.
 */
const EXECUTION: readonly Row[] = [
  [/^inputs(\.[^ ]*)? lies outside constraints\.scope$/, 'outside_base'],
  [/^inputs\.(source|destination)_path must lie below a configured base directory: /, 'outside_base'],
  [/^inputs\.(source|destination)_path must not contain a '\.\.' component: /, 'outside_base'],
  [/^(inputs|constraints|provenance)\b/, 'bad_request'],
  [/^source_path and destination_path are the same file$/, 'bad_request'],
  [/^undo: /, 'undo_refused'],
  [is(CANCELLED_MESSAGE), 'cancelled'],
  [/^cancelled after a fault \(/, 'worker_fault'],
  [is(CONFLICT_MESSAGE), 'id_conflict'],
  [is(UNPROVEN_CONFLICT_MESSAGE), 'id_conflict'],
  [/^this task was done on .*, and its result is no longer kept; nothing was done now$/s, 'id_conflict'],
  [/^the same fault came back \d+ times \(/, 'worker_fault'],
  [/^(by the count in Redis, )?\d+ deliveries of this task crashed in the worker, whose log says why$/, 'worker_fault'],
  [/^the (process of the search (ended unexpectedly|could not be started)|search was stopped)$/, 'worker_fault'],
  [/^ExecutionFailed: path: /, 'source_missing'],
  [/^ExecutionFailed: /, 'worker_fault'],
  [/^outcome unknown: /, 'outcome_unknown'],
  [/, and that could not be made durable \(\w+\)$/, 'outcome_unknown'],
  [/; (it could not be taken back|the source could not be put back|the copy could not be withdrawn)$/, 'outcome_unknown'],
  [/^the source's name could not be removed \(\w+\)$/, 'outcome_unknown'],
  [/^the base directory '[^']*' was exchanged \(/, 'place_exchanged'],
  [/\((ENOSPC|EDQUOT)\)(; it was taken back)?$/, 'disk_full'],
  [/^the operation could not be made durable \(/, 'io_error'],
  [/^the source's name could not be removed \(\w+\); it was taken back$/, 'io_error'],
  [/^(the file was exchanged|a directory was moved away) during the operation/, 'changed_meanwhile'],
  [/^the source (changed|disappeared) /, 'changed_meanwhile'],
  [/ could not be read or written \(\w+\)$/, 'io_error'],
  [/^the source does not exist$/, 'source_missing'],
  [/^the (source|destination)'s directory does not exist$/, 'directory_missing'],
  [/^the (vault|destination's temporary file|copy|destination|place in the vault) does not exist$/, 'changed_meanwhile'],
  [/^the destination exists( and is .*)?$/, 'destination_taken'],
  [/^the (place in the vault|destination's temporary file|vault|copy) exists$/, 'worker_fault'],
  [/^the .* (contains a symbolic link|leaves its base directory|crosses a mount point below its base directory)$/, 'outside_base'],
  [/^the .* has a name that is too long for its file system$/, 'bad_request'],
  [/^the .* (is not a regular file|has a component that is not a directory)$/, 'wrong_type'],
  [/^the source is .*; only regular files are touched$/, 'wrong_type'],
  [/^the .* (may not be accessed by this worker|lies on a read-only file system)$/, 'permission_denied'],
  [/^the source may not be taken from its directory by this worker$/, 'permission_denied'],
  [/^the .* has no room left on its file system$/, 'disk_full'],
  [/^the .* lies on (another file system within its base directory|a file system that cannot do this without replacing)$/, 'file_system_unfit'],
  [/^the source (has hard links, and its file system cannot rename without replacing|does not lie on the file system of its vault)$/, 'file_system_unfit'],
  [/^the source has (hard links, which|setuid or setgid, which) /, 'wrong_type'],
  [/^extended attributes or access control lists would be lost or added by a move to another file system$/, 'wrong_type'],
  [/^extended attributes could not be read \(\w+\)$/, 'io_error'],
  [/^mode, owner (and|or) times could not be kept /, 'file_system_unfit'],
  [/^(line \d+|the file is not UTF-8|the primary key|the table|the file cannot be read as) /, 'source_unreadable'],
  [
    /^(two columns|there is no (column|header row)|the columns of|the header row|a column that is|a quote is|a record has|some lines end|a line is|a CR stands|a text of the table is)\b/,
    'source_unreadable',
  ],
  [/^(".*"…?|the root) in the directory of this scope cannot be read: /s, 'source_unreadable'],
  [/^the directory of this scope cannot be searched: /, 'source_unreadable'],
  [/^the source could not be read to its end \(/, 'source_unreadable'],
];

/** What was done about it: the sentence before it says why. */
const WAY_BACK = /; (it was taken back|the copy was (withdrawn|taken back))$/;

const RESOURCES: readonly Row[] = [
  [/ has no room left on its file system$/, 'disk_full'],
  [/^the vault is full; /, 'vault_full'],
  [/^the source is larger than \d+ bytes$/, 'too_large'],
  [/^the (answer has|\d+ results have) \d+ bytes, and an? (result|answer) has room for \d+; ask for fewer/, 'too_large'],
  [/^the task ran longer than its wall-clock limit$/, 'time_limit'],
  // Results of before do not say whose count it is.
  [/^(by the count in Redis, )?the worker was lost \d+ times /, 'worker_lost'],
  [/^by the count in Redis, workers were lost or crashed too often with this task; /, 'worker_lost'],
  [/^the workers of this task were lost too often; /, 'worker_lost'],
];

const LEASES: readonly Row[] = [
  [beginsWith(GATE_MESSAGES.revoked), 'lease_revoked'],
  [beginsWith(GATE_MESSAGES.future), 'lease_clock'],
];

/** The one table of reasons: each code of a result, and its sentences where one code has several reasons. */
export const CAUSES: Readonly<Record<ResultErrorCode | 'INVALID_MANIFEST', Rows>> = {
  INVALID_MANIFEST: 'bad_request',
  UNSUPPORTED_CAPABILITY: 'unsupported',
  INVALID_LEASE: { rows: LEASES, otherwise: 'lease_invalid' },
  LEASE_EXPIRED: 'lease_expired',
  INVALID_QUERY: 'bad_request',
  SCOPE_NOT_ALLOWED: 'scope_not_allowed',
  SCOPE_UNAVAILABLE: 'source_unreadable',
  TOOL_FAILED: 'tool_failed',
  TOOL_UNAVAILABLE: 'tool_unavailable',
  TOOL_OUTCOME_UNKNOWN: 'tool_outcome_unknown',
  APPROVAL_DENIED: 'approval_denied',
  APPROVAL_EXPIRED: 'approval_expired',
  EXECUTION_FAILED: { rows: EXECUTION, otherwise: 'unexplained' },
  RESOURCE_EXHAUSTED: { rows: RESOURCES, otherwise: 'host_limit' },
};

/**
 * Why a task failed, and whose that is. Pure: a result gives the same reason wherever and whenever it is read.
 *
 * @param code    `error_code` of a result; INVALID_MANIFEST for a job that was no task. Any other text is `unexplained`
 * @param message the result's sentence, whole
 */
export function failureCause(code: string, message: string): FailureCause {
  const row = Object.hasOwn(CAUSES, code) ? CAUSES[code as keyof typeof CAUSES] : 'unexplained';
  const reason = typeof row === 'string' ? row : (reasonIn(row.rows, message) ?? reasonIn(row.rows, message.replace(WAY_BACK, '')) ?? row.otherwise);
  return { reason, whose: FAILURE_REASONS[reason].whose };
}

function reasonIn(rows: readonly Row[], message: string): FailureReason | undefined {
  return rows.find(([sentence]) => sentence.test(message))?.[1];
}

/** The cause of a signed result; a SUCCESS has none. */
export function causeOfResult({ error }: Pick<ExecutionResult, 'error'>): FailureCause | undefined {
  return error === null ? undefined : failureCause(error.error_code, error.message);
}
