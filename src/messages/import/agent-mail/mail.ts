import { IngestOp, MAX_BODY_CHARS, MAX_SUBJECT_CHARS, MAX_WISHED_ID, MESSAGE_IMPORTANCES } from '../../../contracts/index.ts';
import { boundedId } from '../bounded-id.ts';

/** A message of an agent-mail server as its database and its archive tell it: nothing in it is sure yet. */
export interface AgentMail {
  /** Digits: JavaScript cannot tell ids beyond 2^53 apart. */
  readonly id: string;
  readonly project: unknown;
  readonly from: unknown;
  readonly to: readonly unknown[];
  readonly cc: readonly unknown[];
  readonly bcc: readonly unknown[];
  readonly thread: unknown;
  readonly subject: unknown;
  readonly body: unknown;
  readonly importance: unknown;
  readonly ackRequired: boolean;
  readonly created: unknown;
  readonly attachments: unknown;
}

export type Judged = { readonly ops: readonly IngestOp[] } | { readonly bad: string; readonly where: string };

/**
 * The operation for a message. Its key is its id and the time at which it was written, because a server that begins anew gives
 * ids again; so what came from a database and from its archive is one message.
 */
export function mailOp(mail: AgentMail, where: string): Judged {
  const created = micros(mail.created);
  return judged(
    {
      op: 'message',
      project: mail.project,
      key: `agent-mail:${mail.id}:${created ?? ''}`,
      id: wishOf(mail.id),
      from: mail.from,
      to: mail.to,
      cc: mail.cc,
      bcc: mail.bcc,
      thread_id: boundedId(text(mail.thread).trim()) || null,
      subject: storable(mail.subject, MAX_SUBJECT_CHARS),
      body_md: storable(mail.body, MAX_BODY_CHARS),
      importance: MESSAGE_IMPORTANCES.find((one) => one === text(mail.importance).toLowerCase()) ?? 'normal',
      ack_required: mail.ackRequired,
      created_ts: created,
      attachments: objects(mail.attachments),
    },
    where,
  );
}

/** What an agent says about itself. */
export function agentOp(row: Readonly<Record<string, unknown>>, project: unknown, where: string): Judged {
  const op = {
    op: 'agent',
    project,
    name: row['name'],
    program: text(row['program']),
    model: text(row['model']),
    task_description: storable(row['task_description'], MAX_TASK_CHARS),
    inception_ts: micros(row['inception_ts']),
    last_active_ts: micros(row['last_active_ts']),
    attachments_policy: text(row['attachments_policy']) || 'auto',
    contact_policy: text(row['contact_policy']) || 'auto',
  };
  return judged(op, where);
}

const MAX_TASK_CHARS = 4096;

/** What the writer would not take as it is must not take others with it. */
export function judged(op: object, where: string): Judged {
  const parsed = IngestOp.safeParse(withoutUndefined(op));
  if (parsed.success) return { ops: [parsed.data] };
  return { where, bad: 'it names a row that is not there, or a value that cannot be' };
}

export function withoutUndefined(op: object): object {
  return Object.fromEntries(Object.entries(op).filter(([, value]) => value !== undefined));
}

/** The id that a message should keep; none where nobody may wish for it. */
function wishOf(id: string): number | undefined {
  const wish = Number(id);
  return wish >= 1 && wish <= MAX_WISHED_ID ? wish : undefined;
}

/** Microseconds, or text: the naive UTC of the older server, RFC 3339 in an archive. */
export function micros(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const time = typeof value === 'string' ? Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value.replace(' ', 'T')}Z`) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  // The older server wrote six digits of the second; Date keeps three.
  const rest = /\.\d{3}(\d{3})/.exec(String(value))?.[1] ?? '0';
  return time * 1000 + Number(rest);
}

export function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function storable(value: unknown, max: number): string {
  return text(value).slice(0, max).replaceAll('\0', '\ufffd').toWellFormed();
}

/** A list, or its JSON. */
function objects(value: unknown): unknown[] {
  try {
    const list: unknown = Array.isArray(value) ? value : JSON.parse(text(value));
    return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one)) : [];
  } catch {
    return [];
  }
}
