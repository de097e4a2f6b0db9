import { systemClock } from '../../src/core/clock.ts';
import type { Lifecycle } from '../../src/core/lifecycle.ts';
import type { TaskIndex, Webhooks } from '../../src/core/ports/index.ts';
import { createWebhooks, type WebhookDeps, type WebhookOptions } from '../../src/webhooks/io/webhooks.ts';
import { noticeKey } from './webhook-receiver.ts';

/** Webhooks as the API has them without an endpoint in its settings. */
export function noWebhooks(): Webhooks {
  return webhooksOf({}, { directory: '/nowhere', index: {} as TaskIndex, outcome: async () => undefined });
}

/** Webhooks of these endpoints. */
export function webhooksOf(
  endpoints: WebhookOptions['endpoints'],
  deps: Pick<WebhookDeps, 'directory' | 'index' | 'outcome'> & Partial<WebhookDeps>,
): Webhooks & Lifecycle {
  const quiet = { report: () => undefined, counted: () => undefined, onTrouble: () => undefined };
  return createWebhooks({ endpoints, timeout_ms: 60_000, keep_s: 86_400 }, { key: async () => noticeKey, clock: systemClock, ...quiet, ...deps });
}
