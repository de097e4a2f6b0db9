import { isWritError } from '../../../src/core/errors.ts';
import type { ApprovalDecision } from '../../../src/core/ports/index.ts';
import { EPOCH_MS } from '../scheduler.ts';
import type { Mutant } from './mutant.ts';

/** What the kernel and the surfaces do with questions of plans. */
export const APPROVAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'the last word about a question counts',
    seams: {
      approvals(store) {
        const last = new Map<string, ApprovalDecision>();
        const withLast: typeof store.approval = (taskId) => {
          const row = store.approval(taskId);
          return row && { ...row, decision: last.get(taskId) ?? row.decision };
        };
        return {
          ...store,
          approval: withLast,
          decide(taskId, decision) {
            store.decide(taskId, decision);
            last.set(taskId, decision);
            return withLast(taskId);
          },
        };
      },
    },
  },
  {
    name: 'a word about a question is acknowledged before it is on disk',
    seams: {
      approvals: (store, world) => ({
        ...store,
        decide(taskId, decision) {
          // It is written a moment later, if nothing has happened by then.
          const struck = world.struck.size;
          const row = store.approval(taskId);
          if (row?.decision !== undefined) return row;
          world.scheduler.at(20, undefined, () => {
            try {
              if (world.struck.size === struck) store.decide(taskId, decision);
            } catch {
              // The kernel has died over it.
            }
          });
          return row && { ...row, decision };
        },
      }),
    },
  },
  {
    name: 'the deadline of a question begins anew whenever it is looked at',
    seams: {
      approvals: (store, world) => ({
        ...store,
        approval(taskId) {
          const row = store.approval(taskId);
          if (row === undefined || row.decision !== undefined) return row;
          return { ...row, until: Math.max(row.until, EPOCH_MS + Math.floor(world.now) + row.until - row.askedAt) };
        },
      }),
    },
  },
  { name: 'who answers a question wakes no plan', seams: { wakes: false } },
  {
    name: 'a question that nobody has answered in time is approved',
    seams: {
      approvals: (store) => ({
        ...store,
        decide: (taskId, decision) => store.decide(taskId, decision.state === 'expired' ? { ...decision, state: 'approved' } : decision),
      }),
    },
  },
  {
    name: 'a question that reads otherwise now has the answer to what was asked before',
    seams: {
      questions: (kernel, store) => ({
        async askApproval(request) {
          try {
            return await kernel.askApproval(request);
          } catch (error) {
            const row = store.ofPlan(request.planSha256, 1)[0];
            if (row === undefined || !isWritError(error) || error.code !== 'TASK_ID_CONFLICT') throw error;
            return row;
          }
        },
      }),
    },
  },
  {
    name: 'a denied step is as good as an approved one',
    seams: {
      approvals: (store) => ({
        ...store,
        decide: (taskId, decision) => store.decide(taskId, { ...decision, state: decision.state === 'denied' ? 'approved' : decision.state }),
      }),
    },
  },
];
