import type { WebhookOutbox } from '../../core/ports/index.ts';
import { type CollectDeps, collectNotices, type EndedTask } from './collect-notices.ts';
import type { FollowerDeps } from './follower.ts';

export interface TellEndedDeps extends Pick<FollowerDeps, 'clock' | 'endpoints' | 'outcome' | 'onNotices' | 'onDropped'> {
  readonly outbox: CollectDeps['outbox'] & Pick<WebhookOutbox, 'add'>;
}

/**
 * Tells those who wished for it of tasks and plans that were done before they were pushed: no event tells of them any more (docs/webhooks.md,
 * The protocol). Endpoints that are told of everything were told then.
 *
 * @throws WritError STORAGE_UNAVAILABLE, REDIS_UNAVAILABLE
 */
export async function tellEnded(ended: readonly EndedTask[], deps: TellEndedDeps): Promise<void> {
  const { endpoints, outbox, clock } = deps;
  const onWish = endpoints.map((endpoint) => ({ ...endpoint, capabilities: [], plans: false }));
  const { notices } = await collectNotices(ended, { ...deps, endpoints: onWish });
  if (notices.length === 0) return;
  const { dropped } = await outbox.add(notices, undefined, clock.now());
  if (dropped > 0) deps.onDropped(dropped);
  deps.onNotices(notices);
}
