import { join } from 'node:path';
import { messageOf, WritError } from '../../../core/errors.ts';
import { isThere } from '../../files/is-there.ts';
import { openDatabase } from '../open.ts';

/**
 * The signed end that the plan journal in `directory` has for a plan, for a process that only looks; `undefined` where no
 * journal lies, and for a plan that it does not know or that runs. Opened for each look: whoever asks has found an end that
 * is a failure, or that nobody has signed.
 *
 * @throws WritError STORAGE_UNAVAILABLE when there is a journal that cannot be read
 */
export function rememberedPlanEnd(directory: string, planSha256: string): string | undefined {
  const file = join(directory, 'plan.db');
  if (!isThere(file)) return undefined;
  const db = openDatabase(file, { readonly: true });
  try {
    const select = db.prepare<[string], { readonly result: string | null }>("SELECT result FROM plan WHERE plan_sha256 = ? AND state <> 'running'");
    return select.get(planSha256)?.result ?? undefined;
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `the plan journal cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    db.close();
  }
}
