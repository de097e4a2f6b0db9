import { isWritError } from '../core/errors.ts';
import type { KernelOperations, Ledger, PlanKernel } from '../core/ports/index.ts';
import type { LabelsOf } from './events.ts';
import type { Metrics } from './metrics.ts';

/** Ports as they are, with their answers counted. */

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
    async regrantMany(requests, options) {
      const answers = await kernel.regrantMany(requests, options);
      for (const { ok } of answers) count('regrant', ok);
      return answers;
    },
    regrant: (request, options) => counted('regrant', kernel.regrant(request, options)),
    undo: (request, options) => counted('undo', kernel.undo(request, options)),
    issuePlan: (request, options) => counted(request.renews === undefined ? 'plan' : 'regrant', kernel.issuePlan(request, options)),
    derive: (request) => counted('derive', kernel.derive(request)),
    revoke(request) {
      metrics.inc('writ_kernel_revocations_total', {});
      return kernel.revoke(request);
    },
  };
}
