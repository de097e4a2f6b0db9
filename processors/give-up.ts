import { TOOL_CALL } from '../src/contracts/index.ts';
import { failure, type Outcome } from '../src/core/outcome.ts';
import { record } from './claim.ts';
import type { ClaimedDelivery } from './context.ts';
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
  if (!isLast && !cancelled) {
    // No worker was lost: the next claim is no takeover. An outage may have taken Redis as well.
    await deps.ledger.release(task.manifest.task_id, task.epoch).catch(() => undefined);
    throw error;
  }
  const why = cancelled ? 'cancelled after a fault' : `the same fault came back ${same} times`;
  const end = await record(context, { kind: 'given-up', outcome: await truthfulOutcome(context, `${why} (${describeFault(error)})`) });
  deps.faults.forget(task.manifest.task_id);
  return end;
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
