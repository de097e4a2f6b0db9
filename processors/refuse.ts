import { failure, type Outcome } from '../src/core/outcome.ts';
import { CONFLICT_MESSAGE, UNPROVEN_CONFLICT_MESSAGE } from '../src/core/refusal.ts';
import type { ParsedDelivery } from './context.ts';
import { jobKey } from './delivery.ts';
import type { DeliveryEnd } from './settle.ts';

/** Answers a job without touching the task's row. */
export async function refuse({ delivery, deps, manifest, manifestSha256 }: ParsedDelivery, outcome: Outcome): Promise<DeliveryEnd> {
  const result = await deps.signer.sign(manifest, manifestSha256, outcome);
  await deps.ledger.refuse(manifest.task_id, jobKey(delivery), result);
  return { kind: 'refused', code: outcome.error?.error_code ?? '', message: outcome.error?.message ?? '', result };
}

/** Refuses a job whose task_id belongs to another manifest. */
export function conflict(context: ParsedDelivery): Promise<DeliveryEnd> {
  return refuse(context, failure('EXECUTION_FAILED', CONFLICT_MESSAGE));
}

/** The same, where nothing but an unsigned row says so. */
export function unprovenConflict(context: ParsedDelivery): Promise<DeliveryEnd> {
  return refuse(context, failure('EXECUTION_FAILED', UNPROVEN_CONFLICT_MESSAGE));
}
