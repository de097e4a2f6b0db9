import type { TaskReceipt, TaskSubmission } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { KernelClient, PushOptions, Receipt } from '../../../core/ports/index.ts';
import { dryRun } from '../../shared/tasks/dry-run.ts';
import { assertMaySign, submitTask } from '../../shared/tasks/submit.ts';
import { readTaskStatus } from '../../shared/tasks/task-status.ts';
import { readWhen } from '../../shared/when.ts';
import type { Answer, Call } from '../route.ts';
import { outcomeWithin, viewOf, waitOf } from './answers.ts';
import { locationOf, type PushQuery } from './shapes.ts';

type SubmitCall = Call<undefined, PushQuery, TaskSubmission>;
type Queued = Extract<Receipt, { queue: string }>;

/** One task: checked, queued, and waited for when the client asks. */
export async function submitOne(call: SubmitCall): Promise<Answer> {
  const { query, caller } = call;
  const job = { ...call.body, ...inherited(call), v: 1 } as const;
  const terms = { sign: query.sign === true, push: pushOptions(query), webhook: query.webhook };
  if (query.dry_run === true) return { status: 200, body: await dryRun(job, terms, caller, submitServices(call)) };
  const receipt = await submitTask(job, terms, { surface: 'http', name: caller.name, roles: caller.roles }, submitServices(call));
  return receipt.kind === 'finished' ? replayed(receipt.taskId, call) : queued(receipt, call);
}

/** What the body says of its trace counts before what the request says. */
function inherited({ body, traceparent }: SubmitCall): { readonly traceparent?: string } {
  const own = body.traceparent ?? traceparent;
  return own === undefined ? {} : { traceparent: own };
}

export function pushOptions({ attempts, queue, ...when }: PushQuery): PushOptions {
  return {
    ...(attempts === undefined ? {} : { attempts }),
    ...(queue === undefined ? {} : { queue }),
    ...readWhen(when),
  };
}

/** The kernel, when the caller asks to have leases issued. Throws WritError FORBIDDEN without the role. */
export async function signingKernel({ query, caller, services }: Pick<SubmitCall, 'query' | 'caller' | 'services'>): Promise<KernelClient | undefined> {
  if (query.sign !== true) return undefined;
  assertMaySign(true, caller);
  return services.kernel(caller);
}

function submitServices({ services, caller }: Pick<SubmitCall, 'services' | 'caller'>) {
  const { tasks, audit, clock, signatures, kernel, webhooks } = services;
  return { tasks, audit, clock, signatures, webhooks, kernel: () => kernel(caller) };
}

const REPLAYED = { 'idempotency-replayed': 'true' };

/** The same task has succeeded before: its stored result, after a look at the signature. */
async function replayed(taskId: string, { services }: SubmitCall): Promise<Answer> {
  const status = await readTaskStatus(taskId, services.tasks);
  if (status.state !== 'finished' && status.state !== 'unproven') throw new WritError('WRONG_STATE', `${taskId} has just changed; push again`);
  return { status: 200, body: await viewOf(taskId, status, services), headers: REPLAYED };
}

const WORDS = { accepted: 'accepted', 'in-flight': 'in_flight', retried: 'retried' } as const satisfies Record<Queued['kind'], TaskReceipt['receipt']>;

async function queued({ kind, taskId, queue }: Queued, call: SubmitCall): Promise<Answer> {
  const headers = kind === 'in-flight' ? REPLAYED : {};
  const wait = waitOf(call.request, call.services.maxWaitS);
  const waited = await outcomeWithin(taskId, wait, call, headers);
  if (waited.answer) return waited.answer;
  const location = locationOf(taskId);
  const body: TaskReceipt = { task_id: taskId, receipt: WORDS[kind], queue, location, ...waited.held };
  return { status: 202, body, headers: { ...headers, ...wait?.headers, location } };
}
