import type { NoticeResend } from '../../contracts/index.ts';
import type { Clock } from '../../core/clock.ts';
import { WritError } from '../../core/errors.ts';
import type { BareNotice, DeadNotices, WebhookOutbox } from '../../core/ports/index.ts';
import { noticeBody, noticeId } from '../notice/notice.ts';
import type { FollowDeps } from './follow-outcomes.ts';

export interface SendAgainDeps {
  readonly outbox: Pick<WebhookOutbox, 'resend' | 'bare' | 'restore' | 'lose' | 'read' | 'counts'>;
  readonly outcome: FollowDeps['outcome'];
  readonly clock: Clock;
}

type Restored = 'due' | 'lost' | 'no room';

/** Texts that one call makes again, and so many at once. */
const MAX_TEXTS = 1_000;
const AT_ONCE = 50;
const LOST = 'its text was dropped, and its result is not kept any more';

/**
 * Sends dead notices again. The text of one that had to give it up is made from the task's result: the id is made of that result, so
 * that it is the same text or none.
 *
 * @throws WritError NOT_FOUND, WRONG_STATE for one that is not dead or cannot be sent, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function sendAgain(which: DeadNotices, deps: SendAgainDeps): Promise<NoticeResend> {
  const { outbox, clock } = deps;
  const kept = await outbox.resend(which, clock.now());
  const restored = await restoreAll(await outbox.bare(which, MAX_TEXTS), deps);
  const resent = kept + restored.filter((one) => one === 'due').length;
  if ('endpoint' in which) {
    const dead = (await outbox.counts()).find(({ endpoint, state }) => endpoint === which.endpoint && state === 'dead');
    return { resent, left: dead?.notices ?? 0 };
  }
  if (resent === 0) await refuse(which.id, restored[0], deps);
  return { resent, left: 0 };
}

async function restoreAll(notices: readonly BareNotice[], deps: SendAgainDeps): Promise<readonly Restored[]> {
  const all: Restored[] = [];
  for (let at = 0; at < notices.length && all.at(-1) !== 'no room'; at += AT_ONCE) {
    all.push(...(await Promise.all(notices.slice(at, at + AT_ONCE).map((notice) => restore(notice, deps)))));
  }
  return all;
}

async function restore({ id, endpoint, ...task }: BareNotice, { outbox, outcome, clock }: SendAgainDeps): Promise<Restored> {
  const finished = await outcome(task);
  if (finished === undefined || finished === 'forgotten' || noticeId(endpoint, finished) !== id) {
    await outbox.lose(id, LOST);
    return 'lost';
  }
  return (await outbox.restore(id, noticeBody(finished), clock.now())) ? 'due' : 'no room';
}

async function refuse(id: string, end: Restored | undefined, { outbox }: SendAgainDeps): Promise<never> {
  const found = await outbox.read(id);
  if (found === undefined) throw new WritError('NOT_FOUND', `there is no notice ${id}`);
  if (found.state !== 'dead') throw new WritError('WRONG_STATE', `the notice ${id} is ${found.state}; only dead ones are sent again`);
  throw new WritError('WRONG_STATE', `the notice ${id} cannot be sent again: ${end === 'no room' ? 'the outbox has no room for its text' : LOST}`);
}
