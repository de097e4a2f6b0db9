import { z } from 'zod';

/** `[webhooks]`: receivers that are told of the ends of tasks and plans (docs/webhooks.md). */

const endpoint = z.strictObject({
  url: z.string().regex(/^https?:\/\/[^/?#@{}\s\\]+(\/[^?#{}\s]*)?$/, 'must be https://host[:port]/path, without user, query and fragment'),
  capabilities: z.array(z.string().min(1).max(64)).max(64).default([]),
  plans: z.boolean().default(false),
  keys: z.array(z.string().min(1).max(64)).max(1000).default([]),
  allow: z.array(z.string().min(1).max(253)).max(64).default([]),
});

export const WebhookSettings = z.strictObject({
  endpoints: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'an id must be 1 to 32 of a-z 0-9 _ - and start with a letter'), endpoint)
    .default({})
    .meta({
      description: 'Who is told of the ends of tasks and plans, a table for each receiver (docs/webhooks.md); none means that nobody is told.',
      examples: ['[webhooks.endpoints.crm]\nurl = "https://crm.example/writ"\ncapabilities = ["*"]'],
    }),
  timeout_ms: z.int().min(100).max(120_000).default(15_000).describe('Longest time of one attempt to deliver a notice.'),
  keep_s: z
    .int()
    .min(86_400)
    .max(31_536_000)
    .default(604_800)
    .describe('How long the outbox keeps notices that were delivered or given up; until then dead ones can be sent again.'),
  max_bytes: z
    .int()
    .min(1_048_576)
    .max(1_099_511_627_776)
    .default(1_073_741_824)
    .describe('Bytes of texts of notices that the outbox keeps, in equal parts for each endpoint; what is beyond is dead without its text.'),
  max_notices: z
    .int()
    .min(1_000)
    .max(100_000_000)
    .default(1_000_000)
    .describe('Notices that the outbox keeps in all; of more those that ended first are forgotten before webhooks.keep_s.'),
});
