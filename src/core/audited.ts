import { isWritError } from './errors.ts';
import type { AuditLog, OperatorAction, PatientAuditLog } from './ports/index.ts';

type Detail = NonNullable<OperatorAction['detail']>;

/**
 * Does `work` between two records: `asked` before it, `done` or `refused` (with the code) after it. What cannot be asked
 * is not done; a record that fails after the work is an error too, since then the log says only that it was asked for.
 *
 * @param found what the record of the end says beyond the entry, from what the work answered
 * @throws WritError STORAGE_UNAVAILABLE when the log cannot be written, and whatever `work` throws
 */
export async function audited<T>(audit: AuditLog, entry: Omit<OperatorAction, 'outcome'>, work: () => Promise<T>, found?: (value: T) => Detail): Promise<T> {
  await audit.append({ ...entry, outcome: 'asked' });
  let value: T;
  try {
    value = await work();
  } catch (error) {
    const refused = audit.append({ ...entry, outcome: 'refused', detail: { ...entry.detail, code: isWritError(error) ? error.code : 'INTERNAL' } });
    // Why the work failed says more than that the log failed too: an action that was asked for and has no end tells that.
    await refused.catch(() => undefined);
    throw error;
  }
  await audit.append({ ...entry, outcome: 'done', ...(found === undefined ? {} : { detail: { ...entry.detail, ...found(value) } }) });
  return value;
}

/**
 * As `audited`, for an action that takes a right away: that must not wait until the disk has room again or somebody has
 * looked at a damaged log. Its record is kept and follows.
 *
 * @param warn told that the record follows, or why it never will
 * @throws whatever `work` throws, and WritError INVALID_ARGUMENT for an entry that no log takes
 */
export async function auditedUrgently<T>(
  audit: PatientAuditLog,
  entry: Omit<OperatorAction, 'outcome'>,
  work: () => Promise<T>,
  warn: (why: string) => void,
): Promise<T> {
  const trouble = await troubleOf(audit.append({ ...entry, outcome: 'asked' }));
  if (trouble === undefined) return settle(audit, entry, work, warn);
  const value = await work();
  await keep(audit, entry, trouble, warn);
  return value;
}

/** The log has taken that it was asked for. */
async function settle<T>(audit: PatientAuditLog, entry: Omit<OperatorAction, 'outcome'>, work: () => Promise<T>, warn: (why: string) => void): Promise<T> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    const code = isWritError(error) ? error.code : 'INTERNAL';
    await audit.append({ ...entry, outcome: 'refused', detail: { ...entry.detail, code } }).catch(() => undefined);
    throw error;
  }
  const trouble = await troubleOf(audit.append({ ...entry, outcome: 'done' }));
  if (trouble !== undefined) await keep(audit, entry, trouble, warn);
  return value;
}

async function keep(audit: PatientAuditLog, entry: Omit<OperatorAction, 'outcome'>, trouble: string, warn: (why: string) => void): Promise<void> {
  const lost = await troubleOf(audit.keepForLater({ ...entry, outcome: 'done' }));
  warn(lost === undefined ? `it is done; its record follows when the audit log can be written again: ${trouble}` : `it is done, without a record: ${lost}`);
}

/** Why the log did not take it; what is wrong with the entry itself is thrown. */
async function troubleOf(writing: Promise<unknown>): Promise<string | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (isWritError(error) && error.code === 'STORAGE_UNAVAILABLE') return error.message;
    throw error;
  }
}
