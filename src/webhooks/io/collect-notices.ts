import type { NewNotice, WantedBy, WebhookOutbox } from '../../core/ports/index.ts';
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
  /**
   * The last outcome as an executor has signed it; `undefined` while there is none, `'forgotten'` where nobody knows the task any more.
   * Who asks only knows where to look.
   */
  readonly outcome: (ended: EndedTask) => Promise<FinishedOutcome | 'forgotten' | undefined>;
}

interface Collected {
  readonly notices: readonly NewNotice[];
  /** Those that somebody is told of, and that nobody knows any more. */
  readonly forgotten: readonly EndedTask[];
}

/** A notice for each endpoint that is told of one of these, where its outcome is signed; each is looked at once. */
export async function collectNotices(ended: readonly EndedTask[], deps: CollectDeps): Promise<Collected> {
  const each = [...new Map(ended.map((one) => [one.taskId, one])).values()];
  const wanted = await deps.outbox.wantedBy(each.map(({ taskId }) => taskId));
  const found = await Promise.all(each.map((one) => noticesOf(one, wanted.get(one.taskId) ?? [], deps)));
  return { notices: found.flatMap((one) => (one === 'forgotten' ? [] : one)), forgotten: each.filter((_, n) => found[n] === 'forgotten') };
}

async function noticesOf(one: EndedTask, wanted: readonly WantedBy[], { endpoints, outcome }: CollectDeps): Promise<readonly NewNotice[] | 'forgotten'> {
  const { taskId, capabilityId } = one;
  const isWished = ({ id }: WebhookEndpoint, sha?: string): boolean =>
    wanted.some(({ endpoint, manifestSha256 }) => endpoint === id && (sha === undefined || manifestSha256 === '' || manifestSha256 === sha));
  const asked = endpoints.filter((endpoint) => tellsAll(endpoint, capabilityId) || isWished(endpoint));
  const finished = asked.length === 0 ? undefined : await outcome(one);
  if (finished === undefined) return [];
  if (finished === 'forgotten') return finished;
  const body = noticeBody(finished);
  const { capabilityId: proven, manifestSha256, at } = finished;
  // Somebody may have wished it for another manifest under the same id, and been refused.
  const told = asked.filter((endpoint) => tellsAll(endpoint, proven) || isWished(endpoint, manifestSha256));
  return told.map(({ id: endpoint }) => ({ id: noticeId(endpoint, finished), endpoint, taskId, capabilityId: proven, at, body }));
}
