import { TOOL_CALL } from '../src/contracts/index.ts';
import { failure, type Outcome } from '../src/core/outcome.ts';
import type { ClaimedDelivery, DeliveryContext, ParsedDelivery } from './context.ts';
import { jobKey } from './delivery.ts';
import { record } from './record.ts';
import { refuse } from './refuse.ts';
import { describeFault, MAX_SAME_FAULTS } from './repeated-faults.ts';
import type { DeliveryEnd } from './settle.ts';

/**
 * What becomes of a claimed task whose delivery has crashed: it is tried again, unless its fault came back unchanged too often,
 * or somebody has cancelled the task in the meantime. Then it ends with what can be said truthfully (docs/protocol.md section 4).
 *
 * @throws the error itself, for a delivery that is to be tried again
 */
export async function giveUp(context: ClaimedDelivery, error: unknown): Promise<DeliveryEnd> {
  const { deps, task } = context;
  const { same } = deps.faults.note(task.manifest.task_id, error);
  const isLast = same >= MAX_SAME_FAULTS;
  const cancelled = same > 0 && !isLast && (await isCancelAsked(context));
  if (!isLast && !cancelled) throw error;
  const why = cancelled ? `cancelled after a fault (${describeFault(error)})` : cameBack(error, same);
  const end = await record(context, { kind: 'given-up', outcome: await truthfulOutcome(context, why) });
  deps.faults.forget(task.manifest.task_id);
  return end;
}

/**
 * The same for a delivery that has crashed before the claim: nothing was done. The job is answered, the row of its task is left alone.
 */
export async function giveUpUnclaimed(context: DeliveryContext & Partial<ParsedDelivery>, error: unknown): Promise<DeliveryEnd> {
  const { deps, delivery, manifest } = context;
  const { same } = deps.faults.note(jobKey(delivery), error);
  if (same < MAX_SAME_FAULTS) return { kind: 'crashed', error };
  const message = cameBack(error, same);
  // What could not even be read has no task to answer for.
  if (manifest === undefined) return { kind: 'malformed', message };
  return refuse(context as ParsedDelivery, failure('EXECUTION_FAILED', message)).catch(() => ({ kind: 'crashed', error }));
}

function cameBack(error: unknown, times: number): string {
  return `the same fault came back ${times} times (${describeFault(error)})`;
}

async function isCancelAsked({ deps, manifest }: ClaimedDelivery): Promise<boolean> {
  const row = await deps.ledger.row(manifest.task_id).catch(() => undefined);
  return row?.cancelRequested ?? false;
}

/** What the host's memory knows of the task decides what may be said of its effect. */
async function truthfulOutcome({ executor, manifest }: ClaimedDelivery, why: string): Promise<Outcome> {
  const known = await executor.memory?.recall(manifest.task_id).then(
    ({ kind }) => kind,
    () => 'unreadable' as const,
  );
  if (known === undefined || known === 'unknown') return failure('EXECUTION_FAILED', why);
  const code = manifest.capability_id === TOOL_CALL ? 'TOOL_OUTCOME_UNKNOWN' : 'EXECUTION_FAILED';
  const effect = known === 'finished' ? 'the task has ended on its host, and its result cannot be recorded' : 'nobody can tell whether the task had its effect';
  return failure(code, `${why}; ${effect}`);
}
