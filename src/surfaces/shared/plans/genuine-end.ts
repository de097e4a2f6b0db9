import { WritError } from '../../../core/errors.ts';
import type { PlanSignatures, PlanView } from '../../../core/ports/index.ts';
import { hasEnded } from './view.ts';

/** @throws WritError INVALID_RESULT when the view claims an end that no executor that is trusted here has signed */
export async function assertGenuineEnd(view: PlanView, signatures: Pick<PlanSignatures, 'verifyEnd'>): Promise<void> {
  const { id, result } = view;
  if (result === undefined ? !hasEnded(view) : await signatures.verifyEnd(result, id)) return;
  throw new WritError('INVALID_RESULT', `the stored end of plan ${id} was not signed by an executor that is trusted here`);
}
