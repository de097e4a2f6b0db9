import type { ClaimRequest } from '../src/core/ports/index.ts';
import { type AuthenticatedDelivery, type ClaimedDelivery, extend } from './context.ts';
import { jobKey } from './delivery.ts';
import { conflict } from './refuse.ts';
import { answered, type DeliveryEnd } from './settle.ts';

/** The ledger is asked again after a rebuild, a dead owner or a damaged row; more rounds mean that Redis keeps failing. */
const MAX_ROUNDS = 5;

/** Step 3: asks this process, then the ledger, and the ledger again after whatever stood in the way was dealt with. */
export async function claim(context: AuthenticatedDelivery): Promise<ClaimedDelivery | DeliveryEnd> {
  const { running, deps, manifest, manifestSha256, authority } = context;
  if (!deps.inFlight.claimTask(running, manifest.task_id)) return { kind: 'busy', why: 'this process already works on the task' };
  let deadInstance: string | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const answer = await deps.ledger.claim({ ...claimRequest(context), ...(deadInstance === undefined ? {} : { deadInstance }) });
    switch (answer.kind) {
      case 'new':
      case 'takeover':
      case 'cancelled':
        return extend(context, {
          task: { manifest, manifestSha256, authority, epoch: answer.epoch },
          executor: deps.executorOf(manifest.capability_id),
          takeovers: answer.kind === 'takeover' ? answer.takeovers : 0,
          cancelled: answer.kind === 'cancelled',
        });
      case 'conflict': {
        const forged = await forgedOutcome(context);
        if (forged === undefined) return conflict(context);
        await deps.ledger.discard(manifest.task_id, forged);
        break;
      }
      case 'finished':
        if (await hasSucceeded(answer.result, context)) return answered(answer.result);
        // Redis is not trusted: a result that does not verify, or is none of a success, is as good as none.
        await deps.ledger.discard(manifest.task_id, answer.result);
        break;
      case 'busy':
        if (await deps.presence.isAlive(answer.owner)) return { kind: 'busy', why: 'another worker works on the task' };
        deadInstance = answer.owner;
        break;
      case 'lost':
        await deps.recoverLedger();
        break;
    }
  }
  return { kind: 'busy', why: 'the ledger did not settle' };
}

/** Whether the row's result is an executor's SUCCESS of exactly this task. */
async function hasSucceeded(result: string, { deps, manifest, manifestSha256 }: AuthenticatedDelivery): Promise<boolean> {
  const { task_id: taskId, capability_id: capabilityId } = manifest;
  const genuine = await deps.results.read(result, { taskId, capabilityId, manifestSha256s: [manifestSha256] });
  return genuine?.outcome.status === 'SUCCESS';
}

/** What the row of another manifest has for an outcome, when nobody has signed it: then the id is not used. */
async function forgedOutcome({ deps, manifest }: AuthenticatedDelivery): Promise<string | undefined> {
  const { task_id: taskId } = manifest;
  const row = await deps.ledger.row(taskId);
  if (row === undefined || row.state === 'waiting' || row.state === 'running') return undefined;
  const result = row.result ?? '';
  const genuine = await deps.results.read(result, { taskId, manifestSha256s: [row.manifestSha256] });
  return genuine === undefined ? result : undefined;
}

/** The claim of this delivery, now. */
export function claimRequest({ delivery, deps, manifest, manifestSha256, lease }: AuthenticatedDelivery): ClaimRequest {
  return { taskId: manifest.task_id, manifestSha256, jobKey: jobKey(delivery), instance: deps.instance, exp: lease.exp, now: deps.clock.now() };
}
