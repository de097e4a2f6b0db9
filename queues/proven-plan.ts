import { z } from 'zod';
import { WritError } from '../src/core/errors.ts';
import type { PlanEndReader, PlanView } from '../src/core/ports/index.ts';

/** Who proves how a plan has ended. */
export interface PlanProof {
  readonly ends: PlanEndReader;
  /** The signed end in this host's plan journal, which has the last word; `undefined`: none there. */
  readonly remembered: (id: string) => string | undefined;
  /** Asked when an end is claimed that nobody has signed. */
  readonly stillRuns: () => Promise<boolean>;
}

/**
 * A view as far as it is proved. The signed end says how the plan ended, whatever the fields beside it say; they are hints
 * for whoever looks while it runs.
 *
 * @throws WritError INVALID_RESULT for an end that nobody has signed, of a plan that does not run
 */
export async function provenView(view: PlanView, { ends, remembered, stillRuns }: PlanProof): Promise<PlanView> {
  const end = await signedEnd(view.id, view.result, ends);
  const claimed = view.state === 'success' || view.state === 'failure';
  if (end?.error === null) return { ...view, state: 'success', error: undefined };
  if (!claimed) return { ...view, error: undefined, result: undefined };
  const known = remembered(view.id);
  const word = await signedEnd(view.id, known, ends);
  if (word !== undefined) return { ...view, state: word.error === null ? 'success' : 'failure', error: word.error ?? undefined, result: known };
  if (end !== undefined) return { ...view, state: 'failure', error: end.error };
  // The worker writes over it with the next step.
  if (await stillRuns()) return { ...view, state: 'running', error: undefined, result: undefined };
  throw new WritError(
    'INVALID_RESULT',
    `the stored end of plan ${view.id} was not signed by an executor that is trusted here: push the plan again to have the truth`,
  );
}

const SignedEnd = z.object({ error: z.object({ code: z.string(), message: z.string() }).nullable() });
type SignedEnd = z.infer<typeof SignedEnd>;

/** What a signed end says; `undefined` for a text that is none of this plan. */
export async function signedEnd(id: string, result: string | undefined, ends: PlanEndReader): Promise<SignedEnd | undefined> {
  if (result === undefined || !(await ends.verifyEnd(result, id))) return undefined;
  return z.object({ envelope: SignedEnd }).parse(JSON.parse(result)).envelope;
}
