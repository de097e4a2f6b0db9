import type { NoticeResend, WebhookTest } from '../../contracts/index.ts';
import { audited } from '../../core/audited.ts';
import { planOfSubject } from '../../core/notice-subject.ts';
import type { AuditLog, OperatorAction, Plans, TaskGateway, Webhooks } from '../../core/ports/index.ts';
import { readTaskStatus } from './tasks/task-status.ts';

type Operator = Pick<OperatorAction, 'surface' | 'who'>;
interface Services {
  readonly webhooks: Webhooks;
  readonly audit: AuditLog;
}

/**
 * Sends dead notices again, between two records of the audit log.
 *
 * @throws WritError NOT_FOUND, WRONG_STATE, STORAGE_UNAVAILABLE
 */
export function resendNotices(which: Parameters<Webhooks['resend']>[0], operator: Operator, { webhooks, audit }: Services): Promise<NoticeResend> {
  const entry = { ...operator, action: 'webhook.resend', subject: 'id' in which ? which.id : which.endpoint } as const;
  return audited(
    audit,
    entry,
    () => webhooks.resend(which),
    ({ resent }) => ({ resent }),
  );
}

/** Tries an endpoint once, between two records of the audit log. Throws WritError NOT_FOUND, STORAGE_UNAVAILABLE. */
export function testWebhook(endpoint: string, operator: Operator, { webhooks, audit }: Services): Promise<WebhookTest> {
  return audited(
    audit,
    { ...operator, action: 'webhook.test', subject: endpoint },
    () => webhooks.test(endpoint),
    ({ delivered }) => ({ delivered }),
  );
}

/** A task or a plan (`notice-subject.ts`) as a notice tells of it. */
interface Told {
  readonly taskId: string;
  /** Of a task as the index has it, which believes the job. */
  readonly capabilityId: string;
  readonly at: number;
}

type ToldOutcome = Told & { readonly manifestSha256: string; readonly result: string };

/**
 * The last outcome of a task or a plan, when an executor that is trusted here has signed it, for a notice; `undefined` while there is none,
 * `'forgotten'` of a task that nobody knows any more.
 *
 * @throws WritError REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function outcomeForNotice(told: Told, { tasks, plans }: { readonly tasks: TaskGateway; readonly plans: Pick<Plans, 'end'> }) {
  const plan = planOfSubject(told.taskId);
  if (plan === undefined) return outcomeOfTask(told, tasks);
  const result = await plans.end(plan);
  return result === undefined ? undefined : ({ ...told, manifestSha256: plan, result } satisfies ToldOutcome);
}

/** The capability is the one that was signed; what the index says of it, a job may have lied to it. */
async function outcomeOfTask({ taskId, at, ...told }: Told, tasks: TaskGateway): Promise<ToldOutcome | 'forgotten' | undefined> {
  const status = await readTaskStatus(taskId, tasks);
  if (status.state === 'unknown') return 'forgotten';
  if (status.state !== 'finished') return undefined;
  const { manifestSha256, result, capabilityId = told.capabilityId } = status;
  return { taskId, capabilityId, at, manifestSha256, result };
}
