import type { TaskJob, TaskReceipt, TaskSubmission } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { KernelDoor, PushOptions, Receipt } from '../../../core/ports/index.ts';
import { audited } from '../../tasks/audited.ts';
import { refusalAtDoor } from '../../tasks/lease-at-door.ts';
import { standingOf } from '../../tasks/standing.ts';
import type { Answer, Call } from '../route.ts';
import { outcomeWithin, viewOf } from './answers.ts';
import { waitOf } from './prefer.ts';
import { locationOf, type PushQuery } from './shapes.ts';

type SubmitCall = Call<undefined, PushQuery, TaskSubmission>;
type Queued = Extract<Receipt, { queue: string }>;

/** One task: judged at the door, queued, and waited for when the client asks. */
export async function submitOne(call: SubmitCall): Promise<Answer> {
  const { services, query } = call;
  const job = await withLease({ ...call.body, ...inherited(call), v: 1 }, call);
  const signatures = await services.signatures();
  const refusal = await refusalAtDoor(job, { signatures, ledger: services.tasks.ledger, now: services.clock.now(), queue: query.queue });
  if (refusal) throw new WritError(refusal.code, refusal.message, { field: refusal.field });

  const receipt = await services.tasks.enqueue.push(job, pushOptions(query));
  if (receipt.kind === 'conflict') throw new WritError('TASK_ID_CONFLICT', 'the task_id is already used for another manifest', { field: 'manifest.task_id' });
  return receipt.kind === 'finished' ? replayed(receipt.taskId, call) : queued(receipt, call);
}

/** What the body says of its trace counts before what the request says. */
function inherited({ body, traceparent }: SubmitCall): { readonly traceparent?: string } {
  const own = body.traceparent ?? traceparent;
  return own === undefined ? {} : { traceparent: own };
}

export function pushOptions({ attempts, queue }: PushQuery): PushOptions {
  return { ...(attempts === undefined ? {} : { attempts }), ...(queue === undefined ? {} : { queue }) };
}

/** The kernel, when the caller asks to have leases issued. Throws WritError FORBIDDEN without the role. */
export async function signingKernel({ query, caller, services }: Pick<SubmitCall, 'query' | 'caller' | 'services'>): Promise<KernelDoor | undefined> {
  if (query.sign !== true) return undefined;
  if (!caller.roles.has('kernel')) throw new WritError('FORBIDDEN', 'sign=true asks for a lease, which needs the role kernel');
  return services.kernel(caller);
}

async function withLease(job: TaskJob, call: SubmitCall): Promise<TaskJob> {
  const kernel = await signingKernel(call);
  if (!kernel || job.lease !== undefined) return job;
  const entry = { surface: 'http', who: call.caller.name, action: 'lease.issue', subject: job.manifest.task_id } as const;
  return { ...job, lease: await audited(call.services.audit, entry, () => leaseFor(job, kernel)) };
}

async function leaseFor({ manifest }: TaskJob, kernel: KernelDoor): Promise<string> {
  const [grant] = await kernel.issue([manifest], {});
  if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
  if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
  return grant.lease;
}

const REPLAYED = { 'idempotency-replayed': 'true' };

/** The same task has succeeded before: its stored result, after a look at the signature. */
async function replayed(taskId: string, { services }: SubmitCall): Promise<Answer> {
  const standing = await standingOf(taskId, services.tasks);
  if (standing.state !== 'finished') throw new WritError('WRONG_STATE', `${taskId} has just changed; push again`);
  return { status: 200, body: await viewOf(taskId, standing, services, true), headers: REPLAYED };
}

const WORDS = { accepted: 'accepted', 'in-flight': 'in_flight', retried: 'retried' } as const satisfies Record<Queued['kind'], TaskReceipt['receipt']>;

async function queued({ kind, taskId, queue }: Queued, call: SubmitCall): Promise<Answer> {
  const headers = kind === 'in-flight' ? REPLAYED : {};
  const wait = waitOf(call.request, call.services.maxWaitS);
  const outcome = await outcomeWithin(taskId, wait, call, headers);
  if (outcome) return outcome;
  const location = locationOf(taskId);
  const body: TaskReceipt = { task_id: taskId, receipt: WORDS[kind], queue, location };
  return { status: 202, body, headers: { ...headers, ...wait?.headers, location } };
}
