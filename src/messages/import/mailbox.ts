import { createHash, type Hash } from 'node:crypto';
import { openMaildir } from '../../adapters/mail/maildir.ts';
import { openMbox } from '../../adapters/mail/mbox.ts';
import { IngestOp } from '../../contracts/index.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import type { ImportRecord, ImportSource, OpenedMail } from '../../core/ports/index.ts';
import { type MailReader, mailOps } from './mail-message.ts';

const STORES = { maildir: openMaildir, mbox: openMbox } satisfies Record<string, (path: string) => OpenedMail>;

/**
 * One mailbox as one project. An mbox goes on behind the message that was read last, if it and all before it are as they were;
 * the files of a Maildir have no order, so it begins anew, and what is stored already is left as it is.
 *
 * @throws WritError INVALID_ARGUMENT when there is no mailbox at the path
 */
export function openMailbox(store: keyof typeof STORES, path: string, project: string, reader: MailReader): ImportSource {
  const named = new Set<string>();
  let first: OpenedMail | undefined = opened();

  function opened(): OpenedMail & { ok: true } {
    const mail = STORES[store](path);
    if (!mail.ok) throw new WritError('INVALID_ARGUMENT', mail.message, { field: 'path' });
    return mail;
  }

  async function* records(after: string | undefined): AsyncGenerator<ImportRecord, void, void> {
    // What is no mail of it, and as much there for a run that goes on.
    yield { position: after ?? '', read: 0, isAgain: true, ops: [{ op: 'project', slug: project, human_key: path }] };
    const begin = startOf(after)?.count ?? 0;
    for await (const { raw, count, position } of numbered()) if (count > begin) yield { position, read: count, ...parse(raw, `message ${count}`) };
  }

  /** A position tells how many messages there are up to it, and the hash of all of them. */
  async function* numbered(): AsyncGenerator<NumberedMail, void, void> {
    const mail = first?.ok === true ? first : opened();
    first = undefined;
    const hash = createHash('sha256');
    let count = 0;
    for await (const { raw } of mail.messages) {
      count += 1;
      if (store === 'mbox') await addTo(hash, raw);
      yield { raw, count, position: store === 'mbox' ? `${count} ${hash.copy().digest('hex')}` : '' };
    }
  }

  async function fits(position: string): Promise<boolean> {
    const start = startOf(position);
    if (store !== 'mbox' || start === undefined) return false;
    for await (const one of numbered()) if (one.count === start.count) return one.position === position;
    return false;
  }

  function parse(raw: RawMail, where: string): ParsedMail {
    if (!(raw instanceof Uint8Array)) return { where, bad: 'it has more than 4 MiB' };
    try {
      const ops = mailOps(raw, { project, reader }, named);
      // What the writer would not take as it is must not take others with it.
      const fault = ops.map((op) => IngestOp.safeParse(op)).find(({ success }) => !success);
      return fault === undefined ? { ops } : { where, bad: 'it has people or names that cannot be stored' };
    } catch (error) {
      return { where, bad: messageOf(error) };
    }
  }

  return {
    format: store,
    name: `${store} ${path} ${project}`,
    unit: 'messages',
    total: undefined,
    follows: false,
    fits,
    records,
    // Reading to the end has closed everything; who stops before ends the process too.
    async [Symbol.asyncDispose]() {},
  };
}

type ParsedMail = Pick<Extract<ImportRecord, { ops: unknown }>, 'ops'> | Pick<Extract<ImportRecord, { bad: unknown }>, 'bad' | 'where'>;

type RawMail = Uint8Array | AsyncIterable<Uint8Array>;

interface NumberedMail {
  readonly raw: RawMail;
  readonly count: number;
  readonly position: string;
}

/** With its length, so that what moves from one message to the next is another hash. */
async function addTo(hash: Hash, raw: RawMail): Promise<void> {
  let length = 0;
  for await (const piece of raw instanceof Uint8Array ? [raw] : raw) {
    hash.update(piece);
    length += piece.length;
  }
  hash.update(` ${length}\n`);
}

function startOf(after: string | undefined): { readonly count: number } | undefined {
  const count = /^([1-9]\d{0,14}) \w+$/.exec(after ?? '')?.[1];
  return count === undefined ? undefined : { count: Number(count) };
}
