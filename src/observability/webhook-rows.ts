import type { EventRow, MetricRow } from './metric-row.ts';

const API = ['api'] as const;

/** The part of the telemetry contract (`events.ts`) that is about webhooks. */
export const WEBHOOK_METRICS = {
  writ_webhook_attempts_total: {
    type: 'counter',
    unit: 'events',
    help: 'Attempts to deliver a notice by how they ended; `dead`: the last one, the notice was given up.',
    labels: { end: ['delivered', 'failed', 'dead'] },
    roles: API,
  },
  writ_webhook_notices: {
    type: 'gauge',
    unit: 'events',
    help: 'Notices in the outbox by their state; delivered and dead ones leave it after webhooks.keep_s.',
    labels: { state: ['pending', 'delivered', 'dead'] },
    roles: API,
  },
  writ_webhook_held_bytes: {
    type: 'gauge',
    unit: 'bytes',
    help: 'Texts of notices in the outbox, at most webhooks.max_bytes.',
    labels: {},
    roles: API,
  },
  writ_webhook_dropped_total: {
    type: 'counter',
    unit: 'events',
    help: 'What the outbox had no room for: texts of notices, which are made again when they are sent again, and dead notices that were forgotten.',
    labels: { what: ['text', 'notice'] },
    roles: API,
  },
  writ_webhook_oldest_pending_age_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Age of the oldest notice that is not delivered yet; 0 when there is none.',
    labels: {},
    roles: API,
  },
} as const satisfies Record<string, MetricRow>;

export const WEBHOOK_LINES = {
  webhookFailed: {
    level: 'warn',
    message: 'a notice was not delivered',
    fields: ['endpoint', 'notice', 'taskId', 'end', 'attempts', 'problem'],
    roles: ['api'],
    help: 'The receiver of a webhook did not take a notice; `failed` ones are tried again, `dead` ones were given up and can be sent again.',
  },
  webhookDropped: {
    level: 'warn',
    message: 'the outbox of webhooks is full',
    fields: ['what', 'count'],
    roles: ['api'],
    help: 'Notices had to give up their texts, or dead ones were forgotten, because a receiver does not take what it is sent.',
  },
  webhookTrouble: {
    level: 'warn',
    message: 'webhooks cannot go on',
    fields: ['err'],
    roles: ['api'],
    help: 'The outbox, Redis or the task index does not answer; webhooks try again by themselves, and nothing is lost.',
  },
} as const satisfies Record<string, EventRow>;
