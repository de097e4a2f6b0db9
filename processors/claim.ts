import type { TaskManifest } from '../src/contracts/index.ts';
import { answered, conflict } from './answers.ts';
import { type Delivery, type End, jobKey } from './delivery.ts';
import type { PipelineDeps } from './deps.ts';

/** A granted claim. */
export interface Claimed {
  readonly epoch: number;
  readonly takeovers: number;
  readonly cancelled: boolean;
}

/** After a rebuild, a dead owner or a damaged row the question is asked again; more rounds mean that Redis keeps failing. */
const MAX_ROUNDS = 5;

/** Step 3: asks the ledger, and again after whatever stood in the way was dealt with. */
export async function claim(delivery: Delivery, manifest: TaskManifest, manifestSha256: string, exp: number, deps: PipelineDeps): Promise<Claimed | End> {
  let deadInstance: string | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const answer = await deps.ledger.claim({
      taskId: manifest.task_id,
      manifestSha256,
      jobKey: jobKey(delivery),
      instance: deps.instance,
      exp,
      now: deps.clock.now(),
      ...(deadInstance === undefined ? {} : { deadInstance }),
    });
    switch (answer.kind) {
      case 'new':
      case 'takeover':
      case 'cancelled':
        return { epoch: answer.epoch, takeovers: answer.kind === 'takeover' ? answer.takeovers : 0, cancelled: answer.kind === 'cancelled' };
      case 'conflict':
        return conflict(delivery, manifest, manifestSha256, deps);
      case 'finished':
        if (await deps.authorities.verifyResult(answer.result, manifest, manifestSha256)) return answered(answer.result, true);
        // Redis is not trusted: a result that does not verify is as good as none.
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
