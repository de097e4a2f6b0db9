import { z } from 'zod';
import { HELD_TASK } from './held.ts';
import {
  DeleteMessage,
  IngestOutcome,
  LinkProduct,
  MAX_INGEST_OPS,
  MAX_KEY_CHARS,
  MAX_WISHED_ID,
  PutAgent,
  PutContact,
  PutMessage,
  PutProduct,
  PutProject,
} from './message-ingest.ts';

/** A message as a producer sends it over HTTP: without a key it is a new one. */
const SentMessage = PutMessage.extend({
  key: z
    .string()
    .trim()
    .min(1)
    .max(MAX_KEY_CHARS)
    .optional()
    .meta({ description: 'Name of the message in its project: the same key again is an edit. Without one the server makes one up.' }),
  id: z.int().min(1).max(MAX_WISHED_ID).optional().meta({ description: 'Id that a new message gets, if no other ever had it and our own are not beyond it.' }),
});

/** Body of `POST /v1/messages`. */
export const MessageSubmission = z.strictObject({
  ops: z
    .array(z.union([SentMessage, DeleteMessage, PutProject, PutProduct, LinkProduct, PutAgent, PutContact]))
    .min(1)
    .max(MAX_INGEST_OPS),
});
export type MessageSubmission = z.infer<typeof MessageSubmission>;
/** As a producer writes it: what has a default may be left out. */
export type MessageSubmissionInput = z.input<typeof MessageSubmission>;

/** Queued: the writer does it in its turn. */
export const IngestReceipt = z.strictObject({
  job: z.string().meta({ description: 'Id of the job on the queue `message-index`.' }),
  keys: z.array(z.string()).meta({ description: 'Keys of the messages, in the order of their operations.' }),
  ...HELD_TASK,
});
export type IngestReceipt = z.infer<typeof IngestReceipt>;

/** Done. */
export const IngestReport = IngestOutcome.extend(IngestReceipt.omit({ queue_paused: true }).shape);
export type IngestReport = z.infer<typeof IngestReport>;
