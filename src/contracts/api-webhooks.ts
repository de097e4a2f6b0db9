import { z } from 'zod';
import { Sha256Hex } from './ids.ts';

/** Webhooks as operators see them, over HTTP (docs/webhooks.md). */

const Time = z.iso.datetime({ precision: 3 });
export const EndpointId = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be 1 to 32 of a-z 0-9 _ - and start with a letter');
export const NoticeId = z.string().regex(/^msg_[0-9a-f]{40}$/, 'must be msg_ and 40 hexadecimal digits');
/** Where a list of notices goes on: `next` of the page before. */
export const NoticeCursor = z.string().regex(/^\d{1,15}$/, 'must be what `next` of the page before says');

/** `pending`: not delivered yet. `dead`: given up; it may be sent again. */
export const NoticeState = z.enum(['pending', 'delivered', 'dead']);
export type NoticeState = z.infer<typeof NoticeState>;

/** An endpoint of the settings, with its notices counted. */
export const WebhookEndpointView = z.strictObject({
  endpoint: EndpointId,
  url: z.string(),
  capabilities: z.array(z.string()),
  keys: z.array(z.string()),
  /** Told of every plan. */
  plans: z.boolean(),
  pending: z.int(),
  delivered: z.int(),
  dead: z.int(),
  /** Of the texts of pending and dead notices. */
  held_bytes: z.int(),
  /** What they may have: the endpoint's part of `webhooks.max_bytes`. */
  room_bytes: z.int(),
  /** When the oldest pending notice was made. */
  oldest_pending_at: Time.optional(),
});
export type WebhookEndpointView = z.infer<typeof WebhookEndpointView>;

/** `GET /v1/webhooks`. `public_key` verifies the notices: `whpk_` and base64. */
export const WebhookList = z.strictObject({ public_key: z.string(), endpoints: z.array(WebhookEndpointView) });
export type WebhookList = z.infer<typeof WebhookList>;

/** One notice, without its text. */
export const NoticeLine = z.strictObject({
  id: NoticeId,
  endpoint: z.string(),
  /** What it is about: a task, or a plan. */
  task_id: z.string().optional(),
  plan_id: Sha256Hex.optional(),
  state: NoticeState,
  /** Attempts that have failed. */
  attempts: z.int(),
  created_at: Time,
  /** Of a pending one. */
  next_at: Time.optional(),
  /** Of one that was delivered or has died. */
  ended_at: Time.optional(),
  /** Why the last attempt failed. */
  problem: z.string().optional(),
});
export type NoticeLine = z.infer<typeof NoticeLine>;

/** `GET /v1/webhooks/notices`, the newest first. */
export const NoticeList = z.strictObject({ notices: z.array(NoticeLine), next: z.string().optional() });
export type NoticeList = z.infer<typeof NoticeList>;

/** `GET /v1/webhooks/notices/:id`. `body`: the exact text; absent once it was delivered, or dropped for lack of room. */
export const NoticeView = NoticeLine.extend({ body: z.string().optional() });
export type NoticeView = z.infer<typeof NoticeView>;

/** Dead notices that are due again, and those of the endpoint that are still dead. */
export const NoticeResend = z.strictObject({ resent: z.int(), left: z.int() });
export type NoticeResend = z.infer<typeof NoticeResend>;

/** `POST /v1/webhooks/:endpoint/test`. */
export const WebhookTest = z.strictObject({ endpoint: EndpointId, delivered: z.boolean(), problem: z.string().optional() });
export type WebhookTest = z.infer<typeof WebhookTest>;
