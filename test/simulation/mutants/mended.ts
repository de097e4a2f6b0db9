import type { PlanDeps } from '../../../processors/plan/context.ts';
import { BOUNDS } from '../../../src/contracts/index.ts';
import { isWritError, WritError } from '../../../src/core/errors.ts';
import { success } from '../../../src/core/outcome.ts';
import type { HostMemory, TaskExecutor, ToolJournal } from '../../../src/core/ports/index.ts';
import type { Seams } from '../seams.ts';
import { executorWith, fileSystemWith, type Mutant, memoryWith } from './mutant.ts';

/** Tools and plans, and findings whose mends are taken back. */
export const MENDED_MUTANTS: readonly Mutant[] = [
  // Tools and plans
  { name: 'a once request that was sent is written down as unsent', seams: { toolJournal: unsent } },
  { name: 'a plan is not woken by the answer to its step', seams: { deps: (deps) => ({ ...deps, wakePlan: async () => undefined }) } },
  { name: 'nobody looks for plans whose jobs are lost', seams: { sweeps: false } },
  { name: 'a step is told as done without its request', seams: executorWith(unasked) },
  { name: 'the file of a step is moved back when its SUCCESS is told', seams: movedBack() },

  // Retention
  { name: 'trimming keeps no line of a file effect', seams: { forgets: 'file' } },
  { name: 'trimming keeps no line of a once request', seams: { forgets: 'tool' } },
  { name: 'trimming keeps no line of a plan', seams: { forgets: 'plan' } },
  {
    name: 'what was trimmed counts as unknown to the host',
    seams: memoryWith((memory) => ({ recall: async (taskId) => known(await memory.recall(taskId)) })),
  },

  // Findings that were mended: each mend is taken back
  { name: 'A1: the answer of a tool is not judged before it is signed', seams: executorWith(unjudged) },
  { name: 'A3: jobs that wait for the end of their task are not woken', seams: { promote: () => async () => 0 } },
  { name: 'A5: an answer is read only in the form in which its tool is bound now', seams: { plan: oneForm } },
  {
    name: 'A1: a fault that comes back unchanged is tried for ever',
    seams: { deps: (deps) => ({ ...deps, faults: { ...deps.faults, note: (id, error) => ({ ...deps.faults.note(id, error), same: 1 }) } }) },
  },
  {
    name: 'A6: crashes are counted as lost workers',
    seams: { ledger: (ledger) => ({ ...ledger, claim: async (request) => countedAsLost(await ledger.claim(request)) }) },
  },
  {
    name: 'A6: an outage is counted as a crash',
    seams: { ledger: (ledger) => ({ ...ledger, release: (taskId, epoch) => ledger.release(taskId, epoch, 'crashed') }) },
  },
  {
    name: "A8: a plan's crash costs the more the more steps it has had",
    seams: { plan: (deps) => ({ ...deps, faults: { ...deps.faults, note: (id, error) => ({ ...deps.faults.note(id, error), inRow: 5 }) } }) },
  },
  { name: "A8: a raw producer's plan is not woken by its end", seams: { plan: (deps) => ({ ...deps, promote: async () => 0 }) } },
  {
    name: 'D210: nobody looks again between the intent of a once request and the request',
    seams: { ...executorWith(gatedOnce), toolJournal: openFor },
  },
  {
    name: 'D168: a close that another worker has done is a crash',
    seams: memoryWith((memory) => ({
      conclude: (task, status, result) =>
        memory.conclude(task, status, result).catch((error: unknown) => {
          throw isWritError(error) && error.code === 'WRONG_STATE' ? new WritError('INTERNAL', error.message) : error;
        }),
    })),
  },
  {
    name: 'a delivery that was paused shows a plan over its end',
    seams: {
      plan(deps) {
        let generation = 0;
        const show: typeof deps.views.show = (id, change, exp, now) => {
          generation += 1;
          return deps.views.show(id, { ...change, generation }, exp, now);
        };
        return { ...deps, views: { ...deps.views, show } };
      },
    },
  },
];

type Recall = Awaited<ReturnType<HostMemory['recall']>>;

function known(recall: Recall): Recall {
  return recall.kind === 'trimmed' ? { kind: 'unknown' } : recall;
}

/** Nothing is sent for a step of a plan. */
function unasked(executor: TaskExecutor): Partial<TaskExecutor> {
  const isCall = ({ manifest }: Parameters<TaskExecutor['execute']>[0]): boolean => manifest.task_id.startsWith('s-') && manifest.capability_id === 'TOOL_CALL';
  return {
    execute: async (task, run) => (isCall(task) ? { kind: 'outcome', outcome: success({ data: { said: 'yes' } }) } : executor.execute(task, run)),
  };
}

/** What the process moved last goes back to where it was. */
function movedBack(): Pick<Seams, 'ledger' | 'fileSystem'> {
  let back = async (): Promise<unknown> => undefined;
  return {
    ...fileSystemWith((directory) => ({
      ...directory,
      async renameNoReplace(name, to, toName) {
        back = () => to.renameNoReplace(toName, directory, name);
        return directory.renameNoReplace(name, to, toName);
      },
    })),
    ledger: (ledger) => ({
      ...ledger,
      async record(request) {
        const answer = await ledger.record(request);
        if (request.taskId.startsWith('s-') && request.status === 'SUCCESS') await back();
        return answer;
      },
    }),
  };
}

/** The gate of a run answers once. */
function gatedOnce(executor: TaskExecutor): Partial<TaskExecutor> {
  return {
    execute(task, run) {
      let asked = false;
      const gate: typeof run.gate = () => {
        const closed = asked ? undefined : run.gate();
        asked = true;
        return closed;
      };
      return executor.execute(task, { ...run, gate });
    },
  };
}

/** To whoever has just opened an attempt it is open. */
function openFor(journal: ToolJournal): ToolJournal {
  const opened = new Map<string, number>();
  return new Proxy(journal, {
    get(target, key, receiver) {
      if (key === 'open') {
        return async (...args: Parameters<ToolJournal['open']>) => {
          const answer = await target.open(...args);
          if (answer.kind === 'opened') opened.set(args[0].taskId, answer.n);
          return answer;
        };
      }
      if (key !== 'view') return Reflect.get(target, key, receiver) as unknown;
      return async (taskId: string): ReturnType<ToolJournal['view']> => {
        const n = opened.get(taskId);
        opened.delete(taskId);
        // Without a call: nothing happens meanwhile.
        return n === undefined ? target.view(taskId) : { open: { n, manifestSha256: '' }, success: undefined, sent: undefined, trimmed: undefined };
      };
    },
  });
}

function unsent<T extends { close(...args: never[]): unknown }>(journal: T): T {
  return new Proxy(journal, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      if (key !== 'close' || typeof value !== 'function') return value;
      return (taskId: string, n: number, end: object, now: number) => Reflect.apply(value, target, [taskId, n, { ...end, sent: false }, now]) as unknown;
    },
  });
}

type Claimed = Awaited<ReturnType<Parameters<NonNullable<Seams['ledger']>>[0]['claim']>>;

/** What a result has no room for is a SUCCESS all the same. */
function unjudged(executor: TaskExecutor): Partial<TaskExecutor> {
  return {
    async execute(task, run) {
      const end = await executor.execute(task, run);
      const isTooLarge = end.kind === 'outcome' && end.outcome.error?.message.includes('a result has room for');
      return isTooLarge ? { kind: 'outcome', outcome: success({ data: { said: 'x'.repeat(BOUNDS.result) } }) } : end;
    },
  };
}

/** The kernel refuses the answers that a step got while its tool was not bound. */
function oneForm(deps: PlanDeps): PlanDeps {
  const isOther = ({ result }: { readonly result: string }): boolean => result.includes('TOOL_UNAVAILABLE') && deps.bindings('files') !== undefined;
  return {
    ...deps,
    kernel: {
      async derive(request) {
        if ([...request.answers, ...request.voided].some(isOther)) throw new WritError('INVALID_RESULT', 'the answer was not signed for this step');
        return deps.kernel.derive(request);
      },
    },
  };
}

function countedAsLost(answer: Claimed): Claimed {
  if (!('crashes' in answer) || answer.crashes === undefined) return answer;
  return { kind: 'takeover', epoch: answer.epoch, takeovers: answer.crashes + (answer.kind === 'takeover' ? answer.takeovers : 0) };
}
