import type { HostMemory } from '../../core/ports/index.ts';
import type { FileDeps, Unconcluded } from './deps.ts';
import { recover } from './recover.ts';

/** The journal, in the words of the pipeline. */
export function createMemory(deps: FileDeps): HostMemory {
  const { journal, clock, runs } = deps;

  function closeAttempt(taskId: string, ended: Unconcluded, result: string): Promise<void> {
    const end = ended.identity
      ? ({ state: 'success', result, outcomeIdentity: ended.identity } as const)
      : ({ state: 'failure', result, doubtful: ended.doubtful, withdrawn: ended.withdrawn } as const);
    return journal.close(taskId, ended.n, end, clock.now());
  }

  return {
    async recall(taskId) {
      const { open, success, doubtful, trimmed } = await journal.view(taskId);
      if (trimmed) return { kind: 'trimmed', ...trimmed };
      if (success) return { kind: 'finished', manifestSha256: success.manifestSha256, result: success.result };
      if (open) return { kind: 'open', manifestSha256: open.manifestSha256 };
      return doubtful ? { kind: 'doubtful', ...doubtful } : { kind: 'unknown' };
    },

    recover: (task, context, options) => recover(task, context, options, deps),

    async conclude(task, status, result) {
      const { task_id: taskId } = task.manifest;
      const ended = runs.unconcluded(task, status);
      if (!ended) return;
      deps.onPoint?.('before-close', taskId);
      await runs.conclude(task, ended, () => closeAttempt(taskId, ended, result));
    },

    successes: (after, limit) => journal.successes(after, limit),
  };
}
