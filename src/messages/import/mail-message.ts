import { createHash } from 'node:crypto';
import { type IngestOp, MAX_BODY_CHARS, MAX_NAME_CHARS, MAX_SUBJECT_CHARS, type PutMessage } from '../../contracts/index.ts';
import { type Address, addressesOf, unquoted } from './addresses.ts';
import { boundedId } from './bounded-id.ts';

/** Takes mail apart; from the search executor, which has read mail for longer than we have. */
export interface MailReader {
  read(raw: Uint8Array): { readonly fields: ReadonlyMap<string, readonly string[]>; readonly body: string };
  /** A field's text: unfolded, encoded words decoded. */
  text(raw: string): string;
  /** Milliseconds since 1970. */
  date(raw: string): number | undefined;
}

export interface MailSettings {
  readonly project: string;
  readonly reader: MailReader;
}

/**
 * A mail as operations: the message, and what the people in it are called. Its Message-ID is its key, the first of its
 * References its thread; a mail that begins a thread is its own.
 *
 * @param named addresses whose names were told before; those of this mail are added
 */
export function mailOps(raw: Uint8Array, { project, reader }: MailSettings, named: Set<string>): readonly IngestOp[] {
  const { fields, body } = reader.read(raw);
  if (fields.size === 0) throw new Error('it has no header');
  const people = (name: string): readonly Address[] => (fields.get(name) ?? []).flatMap(addressesOf).filter(({ address }) => address.length <= MAX_NAME_CHARS);
  const field = (name: string): string => fields.get(name)?.[0] ?? '';
  const idsOf = (name: string): readonly string[] => [...unfolded(field(name)).matchAll(/<([^<>\s]+)>/g)].map(([, id = '']) => boundedId(id));
  const key = idsOf('message-id')[0] ?? `sha256:${createHash('sha256').update(raw).digest('hex')}`;
  const [from] = people('from').length > 0 ? people('from') : people('sender');
  const [to, cc, bcc] = [people('to'), people('cc'), people('bcc')];
  const parent = idsOf('in-reply-to')[0];
  const root = idsOf('references')[0];
  const date = reader.date(field('date')) ?? reader.date(field('received').replace(/^.*;/s, ''));
  const message: PutMessage = {
    op: 'message',
    project,
    key,
    ...(from === undefined ? {} : { from: from.address }),
    to: to.slice(0, MAX_RECIPIENTS).map(({ address }) => address),
    cc: cc.slice(0, MAX_RECIPIENTS).map(({ address }) => address),
    bcc: bcc.slice(0, MAX_RECIPIENTS).map(({ address }) => address),
    thread_id: root ?? (parent === undefined ? key : null),
    ...(root === undefined && parent !== undefined ? { in_reply_to: parent } : {}),
    subject: plain(reader.text(field('subject')), MAX_SUBJECT_CHARS),
    body_md: plain(body.trimEnd(), MAX_BODY_CHARS),
    importance: importanceOf(unfolded(field('importance')), unfolded(field('x-priority')), unfolded(field('priority'))),
    ack_required: field('disposition-notification-to').trim() !== '',
    ...(date === undefined ? {} : { created_ts: date * 1000 }),
    attachments: [],
  };
  const people_ = [...(from === undefined ? [] : [from]), ...to, ...cc, ...bcc].slice(0, MAX_NAMED).flatMap((one) => nameOp(one, project, reader, named));
  return [...people_, message];
}

/** Of each kind, as the contract has it; and people of one mail whose names are told. */
const MAX_RECIPIENTS = 1000;
const MAX_NAMED = 400;

/** What somebody is called becomes the description of the agent, so that a search for agents finds it. */
function nameOp({ address, display }: Address, project: string, reader: MailReader, named: Set<string>): readonly IngestOp[] {
  const name = plain(reader.text(unquoted(display)), MAX_NAME_CHARS).trim();
  if (name === '' || name === address || named.has(address)) return [];
  named.add(address);
  return [{ op: 'agent', project, name: address, task_description: name }];
}

function unfolded(raw: string): string {
  return raw.replaceAll(/\r?\n/g, '').trim();
}

/** NUL and halves of surrogate pairs are no text; what is too long is cut. */
function plain(text: string, most: number): string {
  return text.slice(0, most).replaceAll('\0', '\ufffd').toWellFormed();
}

/** RFC 2156 (Importance, Priority), and what mail programs write. */
function importanceOf(importance: string, xPriority: string, priority: string): PutMessage['importance'] {
  if (/^urgent$/i.test(priority)) return 'urgent';
  if (/^high$/i.test(importance) || /^[12]\b/.test(xPriority)) return 'high';
  if (/^low$/i.test(importance) || /^[45]\b/.test(xPriority) || /^non-urgent$/i.test(priority)) return 'low';
  return 'normal';
}
