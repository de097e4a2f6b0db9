import { z } from 'zod';

/**
 * What changes the messages: `POST /v1/messages`, `writ messages import` and the jobs of the queue `message-index` are lists
 * of these operations. Doing one twice is the same as doing it once. Names in snake case, times in microseconds since 1970.
 */

export const MESSAGE_IMPORTANCES = ['low', 'normal', 'high', 'urgent'] as const;
export const RECIPIENT_KINDS = ['to', 'cc', 'bcc'] as const;
export type RecipientKind = (typeof RECIPIENT_KINDS)[number];
export const CONTACT_STATES = ['pending', 'approved', 'blocked'] as const;

/** What `writ messages import` reads. */
export const IMPORT_FORMATS = ['jsonl', 'maildir', 'mbox', 'agent-mail', 'agent-mail-archive'] as const;

/** Most operations of one call or job, and most bytes of a job in JSON. */
export const MAX_INGEST_OPS = 1000;
export const MAX_INGEST_BYTES = 8 * 1024 * 1024;
/** Characters of one body; an importer cuts longer ones. */
export const MAX_BODY_CHARS = 2 * 1024 * 1024;
export const MAX_SUBJECT_CHARS = 2000;
export const MAX_NAME_CHARS = 256;
export const MAX_KEY_CHARS = 1000;
/** The largest id that a message may be given by a wish, far below 2^53 - 1, so that our own always have room behind it. */
export const MAX_WISHED_ID = 2 ** 40;

// Half of a surrogate pair could not be stored as text.
const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be Unicode text without NUL');
const filled = (max: number) => text(max).refine((value) => value.trim() !== '', 'must not be blank');
const Micros = z.int();
const Name = filled(MAX_NAME_CHARS);
const Project = filled(MAX_NAME_CHARS).meta({ description: 'Slug of the project; made when there is none.' });
const ProductUid = filled(64);
const Key = filled(MAX_KEY_CHARS);
const AgentName = z.strictObject({ project: Project, name: Name });
/** Somebody of the message's project by name, or of another one. */
const Person = z.union([Name, AgentName]);
const Recipient = z.union([
  Name,
  z.strictObject({
    project: Project.optional(),
    name: Name,
    read_ts: Micros.optional().meta({ description: 'When they read it; what is not told stays as it is.' }),
    ack_ts: Micros.optional().meta({ description: 'When they acknowledged it.' }),
  }),
]);
export type Recipient = z.infer<typeof Recipient>;
const recipients = z.array(Recipient).max(1000).default([]);

/** A new message, or the newer text of one. */
export const PutMessage = z.strictObject({
  op: z.literal('message'),
  project: Project,
  key: Key.meta({ description: 'Name of the message in its project: the same key again is an edit.' }),
  id: z
    .int()
    .min(1)
    .optional()
    .meta({
      description: `Id that a new message gets, if it is at most ${MAX_WISHED_ID}, and neither had by another message before nor below those that we gave.`,
    }),
  from: Person.optional(),
  to: recipients,
  cc: recipients,
  bcc: recipients,
  thread_id: filled(MAX_KEY_CHARS).nullable().default(null),
  in_reply_to: Key.optional().meta({ description: 'Key of another message: without a thread_id this one joins its thread.' }),
  subject: text(MAX_SUBJECT_CHARS).default(''),
  body_md: text(MAX_BODY_CHARS).default(''),
  importance: z.enum(MESSAGE_IMPORTANCES).default('normal'),
  ack_required: z.boolean().default(false),
  created_ts: Micros.optional().meta({ description: 'Unless given: when it was sent to us; an edit keeps the first.' }),
  attachments: z.array(z.record(z.string(), z.json())).max(1000).default([]),
});
export type PutMessage = z.infer<typeof PutMessage>;

/** By its id, or by its project and key. */
export const DeleteMessage = z.union([
  z.strictObject({ op: z.literal('delete'), id: z.int().min(1) }),
  z.strictObject({ op: z.literal('delete'), project: Project, key: Key }),
]);

export const PutProject = z.strictObject({
  op: z.literal('project'),
  slug: Project,
  human_key: filled(4096).optional().meta({ description: 'Path or name of the project for people; the slug unless given.' }),
  created_at: Micros.optional(),
});

export const PutProduct = z.strictObject({ op: z.literal('product'), product_uid: ProductUid, name: Name, created_at: Micros.optional() });

export const LinkProduct = z.strictObject({ op: z.enum(['link', 'unlink']), product_uid: ProductUid, project: Project });

/** What is not given stays as it is. */
export const PutAgent = z.strictObject({
  op: z.literal('agent'),
  project: Project,
  name: Name,
  program: text(MAX_NAME_CHARS).optional(),
  model: text(MAX_NAME_CHARS).optional(),
  task_description: text(4096).optional(),
  inception_ts: Micros.optional(),
  last_active_ts: Micros.optional(),
  attachments_policy: text(32).optional(),
  contact_policy: text(32).optional(),
});

/** Whether an agent may see what another one, maybe of another project, has written. */
export const PutContact = z.strictObject({
  op: z.literal('contact'),
  from: AgentName,
  to: AgentName,
  status: z.enum(CONTACT_STATES),
  reason: text(1000).default(''),
  expires_ts: Micros.nullable().default(null),
});

/** How far an import came. */
export const MarkImport = z.strictObject({
  op: z.literal('mark'),
  name: filled(4096),
  position: text(4096),
  items: z.int().min(0),
  bad: z.int().min(0),
  pass: z.int().min(0).default(0).meta({ description: 'Which reading of the whole source it is: the time at which it began.' }),
  finished: z.boolean(),
});

/** Which messages a pass of an import has told of. */
export const ToldByImport = z.strictObject({
  op: z.literal('told'),
  name: filled(4096),
  pass: z.int().min(0),
  messages: z.array(z.strictObject({ project: Project, key: Key })).max(MAX_INGEST_OPS),
});

/** A pass is whole: what earlier ones have told of and it has not is deleted. */
export const UntoldByImport = z.strictObject({ op: z.literal('untold'), name: filled(4096), pass: z.int().min(0) });

/** What only an import of this host may ask for. */
export const IMPORT_OPS: ReadonlySet<string> = new Set(['mark', 'told', 'untold', 'rebuild']);

/** Full text made anew from the rows. */
export const Rebuild = z.strictObject({ op: z.literal('rebuild') });

/** Everything that may be asked for. */
export const IngestOp = z.union([
  PutMessage,
  DeleteMessage,
  PutProject,
  PutProduct,
  LinkProduct,
  PutAgent,
  PutContact,
  MarkImport,
  ToldByImport,
  UntoldByImport,
  Rebuild,
]);
export type IngestOp = z.infer<typeof IngestOp>;

const count = z.int().min(0);

/** What came of a list of operations. */
export const IngestCounts = z.strictObject({
  inserted: count,
  updated: count,
  deleted: count,
  unchanged: count.meta({ description: 'Operations after which nothing was different, those that a newer one had overtaken among them.' }),
  refused: count.meta({ description: 'Operations that cannot be done: a name that another product has, a link to nothing.' }),
});
export type IngestCounts = z.infer<typeof IngestCounts>;

export const IngestOutcome = z.strictObject({
  counts: IngestCounts,
  ids: z.array(z.int()).meta({ description: 'Of the messages, in the order of their operations.' }),
  refusals: z.array(z.string()).meta({ description: 'Why, of the first hundred.' }),
});
export type IngestOutcome = z.infer<typeof IngestOutcome>;
