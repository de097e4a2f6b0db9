import { Sha256Hex } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';

/**
 * The plan that a word names: its hash, or the id of its job, which begins with `p_`.
 *
 * @throws WritError INVALID_ARGUMENT
 */
export function planIdOf(word: string): string {
  const parsed = Sha256Hex.safeParse(word.replace(/^p_/, ''));
  if (!parsed.success) throw new WritError('INVALID_ARGUMENT', `a plan id ${parsed.error.issues[0]?.message ?? 'is a SHA-256'}`, { field: 'plan_id' });
  return parsed.data;
}

export function unknownPlan(id: string): WritError {
  return new WritError('NOT_FOUND', `no plan ${id} is known here`);
}
