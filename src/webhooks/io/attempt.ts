import type { Post } from '../../adapters/http-tool/post.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ed25519 } from '../../core/ports/index.ts';
import { withTimeLimit } from '../../core/time-limit.ts';
import type { AttemptEnd } from '../notice/attempts.ts';
import { type NoticeKey, signNotice } from '../notice/sign-notice.ts';

export interface AttemptDeps {
  readonly post: Post;
  readonly key: NoticeKey;
  readonly ed25519: Pick<Ed25519, 'sign'>;
  readonly clock: Clock;
  /** Milliseconds for the whole attempt, name look-up included. */
  readonly timeoutMs: number;
}

const GONE = 410;

/** One attempt to deliver a notice: signed with the time of now, posted, judged by the head of the answer. Never throws. */
export async function attempt({ id, body }: { readonly id: string; readonly body: string }, deps: AttemptDeps, stop: AbortSignal): Promise<AttemptEnd> {
  const signed = await signNotice(id, body, deps.clock.now(), deps.key, deps.ed25519);
  const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'writ-webhooks' };
  const answer = await withTimeLimit(deps.timeoutMs, stop, (signal) => deps.post(headers, body, signal));
  if (answer.kind === 'unanswered') return { kind: 'failed', problem: answer.problem };
  const { status, retryAfter } = answer;
  if (status >= 200 && status <= 299) return { kind: 'taken' };
  if (status === GONE) return { kind: 'gone' };
  const note = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
  const asked = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  return { kind: 'failed', problem: `the receiver answered ${status}${note}`, ...(asked === undefined ? {} : { retryAfterS: asked }) };
}
