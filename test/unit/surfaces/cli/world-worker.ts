import type { Clock } from '../../../../src/core/clock.ts';
import { manifestSha256 } from '../../../../src/core/hash.ts';
import { failure, type Outcome, success } from '../../../../src/core/outcome.ts';
import type { Ledger } from '../../../../src/core/ports/index.ts';
import type { Kernel } from './world-kernel.ts';
import type { StoredJob } from './world-queue.ts';

export interface Worker {
  /** What a worker does: claim, record, settle. */
  work(taskId: string, outcome?: Outcome): Promise<void>;
  /** Claims and stops there. */
  begin(taskId: string): Promise<void>;
  /** A refusal before the claim. */
  refuse(taskId: string, outcome: Outcome): Promise<void>;
}

/** The steps of a worker on the ledger and the queues of the world, one at a time and without an effect. */
export function createWorkerTwin(ledger: Ledger, jobs: ReadonlyMap<string, StoredJob>, signer: Kernel['signer'], clock: Clock): Worker {
  const claim = async (taskId: string): Promise<number> => {
    const stored = jobs.get(taskId);
    if (!stored) throw new Error(`no job of ${taskId}`);
    stored.state = 'active';
    const request = {
      taskId,
      manifestSha256: manifestSha256(stored.job.manifest),
      jobKey: `file:t_${taskId}`,
      instance: 'w1',
      exp: 4_000_000_000,
      now: clock.now(),
    };
    const answer = await ledger.claim(request);
    if (!('epoch' in answer)) throw new Error(`claim answered ${answer.kind}`);
    return answer.kind === 'cancelled' ? -answer.epoch : answer.epoch;
  };
  const end = (taskId: string, outcome: Outcome): void => {
    const stored = jobs.get(taskId);
    if (!stored) return;
    stored.state = outcome.status === 'SUCCESS' ? 'completed' : 'failed';
    stored.failedReason = outcome.error === null ? undefined : `${outcome.error.error_code}: ${outcome.error.message}`;
  };

  return {
    async work(taskId, given) {
      const epoch = await claim(taskId);
      const stored = jobs.get(taskId);
      if (!stored) return;
      const { manifest } = stored.job;
      const outcome =
        epoch < 0
          ? failure('EXECUTION_FAILED', 'cancelled')
          : (given ?? success({ task_id: taskId, capability_id: manifest.capability_id, result_summary: {} }));
      const result = await signer.sign(manifest, manifestSha256(manifest), outcome);
      await ledger.record({ taskId, epoch: Math.abs(epoch), status: outcome.status, errorCode: outcome.error?.error_code, result, now: clock.now() });
      end(taskId, outcome);
    },
    async begin(taskId) {
      await claim(taskId);
    },
    async refuse(taskId, outcome) {
      const stored = jobs.get(taskId);
      if (!stored) throw new Error(`no job of ${taskId}`);
      await ledger.refuse(taskId, `file:t_${taskId}`, await signer.sign(stored.job.manifest, manifestSha256(stored.job.manifest), outcome));
      end(taskId, outcome);
    },
  };
}
