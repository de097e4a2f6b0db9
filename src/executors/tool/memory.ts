import { fitsLedger } from '../../core/ledger-life.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { HostMemory } from '../../core/ports/index.ts';
import { unknown } from './answers.ts';
import type { RunEnd, ToolDeps } from './options.ts';

/**
 * The id of a plan's step (docs/plan-protocol.md 2). Its lease is derived anew when Redis has lost the task, so another
 * lease is nobody's decision there: an operator's retry takes another id.
 */
const PLAN_STEP = /^s-[0-9a-f]{64}$/;

/** The tool journal, in the words of the pipeline. Only `once` calls are in it: what may be repeated is asked anew. */
export function createMemory(deps: ToolDeps): HostMemory {
  const { journal, clock, runs } = deps;

  return {
    async recall(taskId) {
      const { open, success, sent, trimmed } = await journal.view(taskId);
      if (trimmed) return { kind: 'trimmed', ...trimmed };
      // What was concluded when there was room for more ends as an outcome that cannot be told.
      if (success) return fitsLedger(success.result) ? { kind: 'finished', ...success } : { kind: 'open', manifestSha256: success.manifestSha256 };
      if (open) return { kind: 'open', manifestSha256: open.manifestSha256 };
      if (!sent) return { kind: 'unknown' };
      return PLAN_STEP.test(taskId) ? { kind: 'finished', ...sent } : { kind: 'doubtful', ...sent };
    },

    /** Nobody can look at the world from here: an intent without an end is an unknown outcome, and nothing is sent. */
    recover: (task, context) =>
      runs.once(task, async (): Promise<RunEnd> => {
        const { open, success } = await journal.view(task.manifest.task_id);
        if (success && !fitsLedger(success.result)) return { execution: { kind: 'outcome', outcome: untold(success.result) } };
        if (!open) return { execution: { kind: 'busy', why: 'the call was ended meanwhile' } };
        // Whoever stood still until its job was another's may find that one's intent, whose request is on its way. But time that ran
        // out is no answer to a request that may have been carried out: of the gate only the worker's own lock counts.
        const closed = context.gate();
        if (closed !== undefined && closed.kind !== 'outcome') return { execution: closed };
        const outcome = unknown('a worker was lost between sending the request and recording its answer');
        return { execution: { kind: 'outcome', outcome }, opened: { n: open.n, sent: true } };
      }),

    async conclude(task, status, result) {
      const { task_id: taskId } = task.manifest;
      const ended = runs.unconcluded(task, status);
      if (!ended) return;
      deps.onPoint?.('before-close', taskId);
      const end = { state: status === 'SUCCESS' ? 'success' : 'failure', sent: ended.sent, result } as const;
      await runs.conclude(task, ended, () => journal.close(taskId, ended.n, end, clock.now()));
    },

    successes: (after, limit) => journal.successes(after, limit),
  };
}

function untold(result: string): Outcome {
  return unknown(`the call has succeeded, and its result has ${Buffer.byteLength(result)} bytes, more than can be told`);
}
