import { isWritError } from './errors.ts';
import type { AuditLog, OperatorAction } from './ports/index.ts';

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
