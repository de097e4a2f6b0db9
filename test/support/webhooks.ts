import { createWebhookOutbox } from '../../src/adapters/sqlite/webhook-outbox/webhook-outbox.ts';
import type { OutboxLimits } from '../../src/adapters/sqlite/webhook-outbox/webhook-outbox-room.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Lifecycle } from '../../src/core/lifecycle.ts';
import type { TaskIndex, WebhookOutbox, Webhooks } from '../../src/core/ports/index.ts';
import { createWebhooks, type WebhookDeps, type WebhookOptions } from '../../src/webhooks/io/webhooks.ts';
import { noticeKey } from './webhook-receiver.ts';

/** Webhooks as the API has them without an endpoint in its settings. */
export function noWebhooks(): Webhooks {
  return webhooksOf({}, { directory: '/nowhere', index: {} as TaskIndex, outcome: async () => undefined });
}

/** Webhooks of these endpoints. */
export function webhooksOf(
  endpoints: WebhookOptions['endpoints'],
  { limits, ...deps }: Pick<WebhookDeps, 'directory' | 'index' | 'outcome'> & Partial<WebhookDeps> & { readonly limits?: Partial<WebhookOptions> },
): Webhooks & Lifecycle {
  const quiet = { report: () => undefined, counted: () => undefined, dropped: () => undefined, onTrouble: () => undefined };
  return createWebhooks(
    { endpoints, timeout_ms: 60_000, keep_s: 86_400, max_bytes: 1e9, max_notices: 1e6, ...limits },
    { key: async () => noticeKey, clock: systemClock, redisTime: async () => systemClock.now(), ...quiet, ...deps },
  );
}

/** An open outbox with room enough, unless another is asked for. */
export async function outboxIn(directory: string, limits: Partial<OutboxLimits> = {}): Promise<WebhookOutbox & Lifecycle> {
  const outbox = createWebhookOutbox({ directory, limits: { endpointBytes: 1e9, maxNotices: 1e6, ...limits } });
  await outbox.start();
  return outbox;
}
