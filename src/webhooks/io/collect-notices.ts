import type { NewNotice, WebhookOutbox } from '../../core/ports/index.ts';
import { tellsAll, type WebhookEndpoint } from '../notice/endpoint.ts';
import { type FinishedOutcome, noticeBody, noticeId } from '../notice/notice.ts';

/** A task or a plan (`notice-subject.ts`) of which somebody says that it has ended. */
export interface EndedTask {
  readonly taskId: string;
  /** By the job, which anybody may have written; `PLAN` of a plan. */
  readonly capabilityId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface CollectDeps {
  readonly outbox: Pick<WebhookOutbox, 'wantedBy'>;
  readonly endpoints: readonly WebhookEndpoint[];
  /** The last outcome as an executor has signed it; `undefined` while there is none. Who asks only knows where to look. */
  readonly outcome: (ended: EndedTask) => Promise<FinishedOutcome | undefined>;
}

/** A notice for each endpoint that is told of one of these, where its outcome is signed; each is looked at once. */
export async function collectNotices(ended: readonly EndedTask[], deps: CollectDeps): Promise<readonly NewNotice[]> {
  const each = [...new Map(ended.map((one) => [one.taskId, one])).values()];
  const wanted = await deps.outbox.wantedBy(each.map(({ taskId }) => taskId));
  return (await Promise.all(each.map((one) => noticesOf(one, wanted.get(one.taskId) ?? [], deps)))).flat();
}

async function noticesOf(one: EndedTask, wanted: readonly string[], { endpoints, outcome }: CollectDeps): Promise<readonly NewNotice[]> {
  const { taskId, capabilityId } = one;
  const told = endpoints.filter((endpoint) => tellsAll(endpoint, capabilityId) || wanted.includes(endpoint.id));
  const finished = told.length === 0 ? undefined : await outcome(one);
  if (finished === undefined) return [];
  const body = noticeBody(finished);
  const { capabilityId: proven, at } = finished;
  return told.map(({ id: endpoint }) => ({ id: noticeId(endpoint, finished), endpoint, taskId, capabilityId: proven, at, body }));
}
