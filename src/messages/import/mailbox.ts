import { createHash } from 'node:crypto';
import { openMaildir } from '../../adapters/mail/maildir.ts';
import { openMbox } from '../../adapters/mail/mbox.ts';
import { IngestOp } from '../../contracts/index.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import type { ImportRecord, ImportSource, OpenedMail } from '../../core/ports/index.ts';
import { type MailReader, mailOps } from './mail-message.ts';

const STORES = { maildir: openMaildir, mbox: openMbox } satisfies Record<string, (path: string) => OpenedMail>;

/**
 * One mailbox as one project. An mbox goes on behind the message that was read last, if that is still where it was; the files
 * of a Maildir have no order, so it begins anew, and what is stored already is left as it is.
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
    yield { position: after ?? '', read: 0, ops: [{ op: 'project', slug: project, human_key: path }] };
    const start = store === 'mbox' ? startOf(after) : undefined;
    if (start === undefined || !(yield* behind(start))) yield* behind(undefined);
  }

  /** False, and nothing told: the mailbox is not as it was. */
  async function* behind(start: Start | undefined): AsyncGenerator<ImportRecord, boolean, void> {
    const mail = first?.ok === true ? first : opened();
    first = undefined;
    let count = 0;
    for await (const { raw } of mail.messages) {
      count += 1;
      if (start !== undefined && count < start.count) continue;
      const sha256 = raw instanceof Uint8Array ? createHash('sha256').update(raw).digest('hex').slice(0, 16) : 'large';
      if (count === start?.count) {
        if (sha256 !== start.sha256) return false;
        continue;
      }
      yield { position: `${count} ${sha256}`, read: count, ...parse(raw, `message ${count}`) };
    }
    return start === undefined || count >= start.count;
  }

  function parse(raw: Uint8Array | AsyncIterable<Uint8Array>, where: string): ParsedMail {
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
    records,
    // Reading to the end has closed everything; who stops before ends the process too.
    async [Symbol.asyncDispose]() {},
  };
}

type ParsedMail = Pick<Extract<ImportRecord, { ops: unknown }>, 'ops'> | Pick<Extract<ImportRecord, { bad: unknown }>, 'bad' | 'where'>;

interface Start {
  readonly count: number;
  readonly sha256: string;
}

function startOf(after: string | undefined): Start | undefined {
  const [, count, sha256 = ''] = /^([1-9]\d{0,14}) (\w+)$/.exec(after ?? '') ?? [];
  return count === undefined ? undefined : { count: Number(count), sha256 };
}
