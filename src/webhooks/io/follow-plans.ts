import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import { PLAN_NOTICE, planSubject } from '../../core/notice-subject.ts';
import { pause } from '../../core/pause.ts';
import type { EndedPlan, NewNotice, PlanEnds, PlanPlace, WebhookOutbox } from '../../core/ports/index.ts';
import { collectNotices } from './collect-notices.ts';
import { earlier, type FollowerDeps, RETRY_MS, SLACK_MS } from './follower.ts';

export interface FollowPlansDeps extends FollowerDeps {
  readonly ends: PlanEnds;
  readonly outbox: Pick<WebhookOutbox, 'planPlace' | 'beginPlans' | 'add' | 'wantedBy'>;
}

/** Signed ends in hand at once: one may have some megabytes. */
const BATCH = 8;
/** A place without notices is written no more often; what is looked at twice is noted once. */
const WRITE_MS = 60_000;
/** A delivery whose job Redis has lost may end its plan behind the look back, and no event tells of it: it is over by then. */
const AGAIN_MS = 60_000;

/** A look back that is made once more: since when, and when by the steady clock. */
interface Back {
  readonly since: number;
  readonly dueAt: number;
}

/**
 * Follows the ends of plans and writes a notice for each that an endpoint is told of (docs/webhooks.md, Ends of plans). The place is
 * written with the notices: a process that dies looks at the last ends again, and the same end makes the same notice.
 *
 * @throws WritError STORAGE_UNAVAILABLE from `start` when no place can be written, and REDIS_UNAVAILABLE where there is none yet and Redis is away
 */
export function followPlans(deps: FollowPlansDeps): Lifecycle {
  const { ends, outbox, clock } = deps;
  let stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let writtenAt = Number.NEGATIVE_INFINITY;
  let back: Back | undefined;

  /** Where the look goes on; without a place it begins now. */
  async function placeOrNow(): Promise<PlanPlace> {
    return (await outbox.planPlace()) ?? outbox.beginPlans(earlier(await deps.redisTime(), clock));
  }

  async function follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        back = undefined;
        let place = await placeOrNow();
        while (!signal.aborted) place = place.queue === undefined ? await lookBack(place.seenAt, signal) : await lookOn(place.queue, place.seenAt, signal);
      } catch (error) {
        if (signal.aborted) return;
        deps.onTrouble(error);
        await pause(deps.retryMs ?? RETRY_MS, signal);
      }
    }
  }

  /** No place in the events: takes one first, then looks at everything that has ended since. On disk it stays so until that was done twice. */
  async function lookBack(seenAt: number, signal: AbortSignal): Promise<PlanPlace> {
    const { place: queue, at } = await ends.here();
    await lookSince(seenAt, signal);
    back = { since: seenAt, dueAt: clock.monotonic() + AGAIN_MS };
    return { queue, seenAt: Math.max(seenAt, at - SLACK_MS) };
  }

  async function lookSince(seenAt: number, signal: AbortSignal): Promise<void> {
    const place = { queue: undefined, seenAt };
    for await (const some of ends.since(seenAt)) {
      if (signal.aborted) return;
      await note(some, place, place);
    }
  }

  async function lookBackAgain({ since }: Back, place: PlanPlace, signal: AbortSignal): Promise<void> {
    await lookSince(since, signal);
    if (signal.aborted) return;
    back = undefined;
    await write([], place);
  }

  async function lookOn(queue: string, seenAt: number, signal: AbortSignal): Promise<PlanPlace> {
    if (back !== undefined && clock.monotonic() >= back.dueAt) await lookBackAgain(back, { queue, seenAt }, signal);
    if (signal.aborted) return { queue, seenAt };
    const look = await ends.after(queue, signal);
    if (look === 'lost') {
      const lost = { queue: undefined, seenAt: Math.min(seenAt - SLACK_MS, back?.since ?? seenAt) };
      back = undefined;
      await write([], lost);
      deps.onTrouble(new Error('events of the plan queue are missing; every plan that has ended since is looked at'));
      return lost;
    }
    const place = { queue: look.place, seenAt: Math.max(seenAt, look.at) };
    await note(look.ended, { queue, seenAt }, place);
    return place;
  }

  /** Notes these ends, `from` with the first of them and `to` with the last. */
  async function note(ended: readonly EndedPlan[], from: PlanPlace, to: PlanPlace): Promise<void> {
    const plans = ended.map(({ planSha256, at }) => ({ taskId: planSubject(planSha256), capabilityId: PLAN_NOTICE, at }));
    for (let start = 0; start < plans.length; start += BATCH) {
      const { notices } = await collectNotices(plans.slice(start, start + BATCH), deps);
      if (notices.length > 0) await write(notices, start + BATCH < plans.length ? from : to);
    }
    if (to.queue !== undefined && to.seenAt - writtenAt >= WRITE_MS) await write([], to);
  }

  async function write(notices: readonly NewNotice[], reached: PlanPlace): Promise<void> {
    const place = back === undefined ? reached : { queue: undefined, seenAt: back.since };
    const { dropped } = await outbox.add(notices, place, clock.now());
    writtenAt = reached.seenAt;
    if (dropped > 0) deps.onDropped(dropped);
    if (notices.length > 0) deps.onNotices(notices);
  }

  return lifecycle(
    async () => {
      // Before anybody can wish to be told: what ends from here on is looked at, whatever happens next.
      await placeOrNow();
      stopping = new AbortController();
      running = follow(stopping.signal);
    },
    async () => {
      stopping.abort();
      await running;
    },
  );
}
