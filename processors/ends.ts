import { ExecutionResult } from '../src/contracts/index.ts';
import { failure, type Outcome, type StopReason } from '../src/core/outcome.ts';
import type { DeliveryContext, ParsedDelivery } from './context.ts';
import { jobKey } from './delivery.ts';

/** How a delivery ended; `settle.ts` maps it to what BullMQ does. */
export type End =
  /** Not a contract at all: no result, no row. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** An outcome was recorded, now or earlier. */
  | {
      readonly kind: 'answered';
      readonly status: 'SUCCESS' | 'FAILURE';
      readonly code: string | undefined;
      readonly message: string;
      readonly result: string;
      readonly replayed: boolean;
    }
  /** Answered without touching the task's row: a lease that does not verify, an id that belongs to another manifest. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly result: string }
  /** Somebody else works on the task, or may still. */
  | { readonly kind: 'busy'; readonly why: string }
  /** Shutdown, lock loss, or a later claim: nothing was recorded. */
  | { readonly kind: 'interrupted'; readonly reason: StopReason | 'stale' }
  /** Something that should not happen did. The claim is kept, so that a repeated crash is counted as a takeover. */
  | { readonly kind: 'crashed'; readonly error: unknown };

export type EndKind = End['kind'];
export type Answered = Extract<End, { kind: 'answered' }>;

/** Whether a step has ended the delivery instead of handing it on. */
export function isEnd(found: DeliveryContext | End): found is End {
  return 'kind' in found;
}

/** Answers a job without touching the task's row. */
export async function refuse({ delivery, deps, manifest, manifestSha256 }: ParsedDelivery, outcome: Outcome): Promise<End> {
  const result = await deps.signer.sign(manifest, manifestSha256, outcome);
  await deps.ledger.refuse(manifest.task_id, jobKey(delivery), result);
  return { kind: 'refused', code: outcome.error?.error_code ?? '', message: outcome.error?.message ?? '', result };
}

/** Refuses a job whose task_id belongs to another manifest. */
export function conflict(context: ParsedDelivery): Promise<End> {
  return refuse(context, failure('EXECUTION_FAILED', 'task_id already used for another manifest'));
}

/** The end of a task whose outcome was recorded earlier; `result` is the stored text. */
export function answered(result: string): Answered {
  return answeredWith(ExecutionResult.parse(JSON.parse(result)), result, { replayed: true });
}

/** The end of a task that has just been run; `result` is the outcome, signed. */
export function answeredWith({ status, error }: Pick<Outcome, 'status' | 'error'>, result: string, { replayed } = { replayed: false }): Answered {
  return { kind: 'answered', status, code: error?.error_code, message: error?.message ?? '', result, replayed };
}
