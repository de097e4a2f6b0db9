import { isWritError } from '../core/errors.ts';
import type { Enqueue, KernelOperations, Ledger, PlanKernel, Receipt } from '../core/ports/index.ts';
import type { LabelsOf } from './events.ts';
import type { Metrics } from './metrics.ts';

/** Ports as they are, with their answers counted. */

type Submission = LabelsOf<'writ_tasks_submitted_total'>;

const OUTCOMES = {
  accepted: 'accepted',
  'in-flight': 'in_flight',
  retried: 'retried',
  finished: 'finished',
  conflict: 'conflict',
} as const satisfies Record<Receipt['kind'], Submission['outcome']>;

export function countSubmissions<T extends Enqueue>(enqueue: T, surface: Submission['surface'], metrics: Metrics): T {
  const count = (outcome: Submission['outcome'], by = 1): void => metrics.inc('writ_tasks_submitted_total', { surface, outcome }, by);
  const counted = async <R>(tasks: number, work: Promise<R>, receipts: (answer: R) => readonly Submission['outcome'][]): Promise<R> => {
    try {
      const answer = await work;
      for (const outcome of receipts(answer)) count(outcome);
      return answer;
    } catch (error) {
      count('rejected', tasks);
      throw error;
    }
  };
  return {
    ...enqueue,
    push: (job, options) => counted(1, enqueue.push(job, options), ({ kind }) => [OUTCOMES[kind]]),
    pushMany: (jobs, options) => counted(jobs.length, enqueue.pushMany(jobs, options), (all) => all.map(({ kind }) => OUTCOMES[kind])),
    retry: (taskId, options) => counted(1, enqueue.retry(taskId, options), ({ kind }) => [kind === 'retried' ? 'retried' : 'rejected']),
  };
}

export function countClaims(ledger: Ledger, metrics: Metrics): Ledger {
  return {
    ...ledger,
    async claim(request) {
      const answer = await ledger.claim(request);
      metrics.inc('writ_ledger_answers_total', { answer: answer.kind });
      return answer;
    },
  };
}

export function countLeases<K extends KernelOperations & PlanKernel>(kernel: K, metrics: Metrics): K {
  const count = (operation: LabelsOf<'writ_kernel_leases_total'>['operation'], granted: boolean): void =>
    metrics.inc('writ_kernel_leases_total', { operation, outcome: granted ? 'granted' : 'refused' });
  const counted = async <R>(operation: 'regrant' | 'undo' | 'plan' | 'derive', work: Promise<R>): Promise<R> => {
    try {
      const grant = await work;
      count(operation, true);
      return grant;
    } catch (error) {
      if (isWritError(error)) count(operation, false);
      throw error;
    }
  };
  return {
    ...kernel,
    async issue(requests, options) {
      const answers = await kernel.issue(requests, options);
      for (const { ok } of answers) count('issue', ok);
      return answers;
    },
    regrant: (request, options) => counted('regrant', kernel.regrant(request, options)),
    undo: (request, options) => counted('undo', kernel.undo(request, options)),
    issuePlan: (request, options) => counted('plan', kernel.issuePlan(request, options)),
    derive: (request) => counted('derive', kernel.derive(request)),
    revoke(request) {
      metrics.inc('writ_kernel_revocations_total', {});
      return kernel.revoke(request);
    },
  };
}
