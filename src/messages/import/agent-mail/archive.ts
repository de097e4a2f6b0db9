import path from 'node:path';
import { messageOf } from '../../../core/errors.ts';
import type { ImportRecord, ImportSource } from '../../../core/ports/index.ts';
import { isUpTo, messagesOf, profilesOf, projectsOf, textOf } from './archive-tree.ts';
import { agentOp, type Judged, judged, mailOp, text } from './mail.ts';

type Json = Readonly<Record<string, unknown>>;

const FRONT = /^---json\r?\n/;
const FRONT_END = /\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * The archive of an agent-mail server: in the working tree of its repository each project has a folder, with a Markdown file for
 * each message (`messages/2026/11/*.md`, JSON between `---json` and `---`, then the body) and a profile for each agent. Links are
 * not followed. The copies in the boxes of agents, and digests of threads, are left.
 *
 * @param place the archive, or one project of it
 */
export function openArchive(place: string): ImportSource {
  async function* records(after: string | undefined): AsyncGenerator<ImportRecord, void, void> {
    let [read, position] = [0, after ?? ''];
    const isAgain = position !== '';
    for (const { slug, folder } of await projectsOf(place)) {
      let isNamed = false;
      for await (const file of profilesOf(folder)) yield { position, read, isAgain, ...(await profile(slug, folder, file)) };
      for await (const file of messagesOf(folder)) {
        read += 1;
        if (isUpTo(`${slug}/${file}`, position)) continue;
        position = `${slug}/${file}`;
        const { record, humanKey } = await message(slug, folder, file);
        if (!isNamed && humanKey !== undefined)
          yield { position, read, isAgain: true, ...judged({ op: 'project', slug, human_key: humanKey }, `project ${slug}`) };
        isNamed ||= humanKey !== undefined;
        yield { position, read, ...record };
      }
    }
  }

  return {
    format: 'agent-mail-archive',
    name: `agent-mail-archive ${place}`,
    unit: 'messages',
    total: undefined,
    follows: true,
    // What changes before it is seen by the next pass.
    fits: async () => true,
    records,
    async [Symbol.asyncDispose]() {},
  };
}

async function profile(slug: string, folder: string, file: string): Promise<Judged> {
  const where = `${slug}/${file}`;
  try {
    return agentOp(objectOf(JSON.parse(await textOf(path.join(folder, file)))), slug, where);
  } catch (error) {
    return { where, bad: messageOf(error) };
  }
}

async function message(slug: string, folder: string, file: string): Promise<{ readonly record: Judged; readonly humanKey?: string }> {
  const where = `${slug}/${file}`;
  try {
    const { front, body } = partsOf(await textOf(path.join(folder, file)));
    const humanKey = text(front['project']).trim();
    return { record: mailFrom(front, body, slug, where), ...(humanKey === '' ? {} : { humanKey }) };
  } catch (error) {
    return { record: { where, bad: messageOf(error) } };
  }
}

function mailFrom(front: Json, body: string, slug: string, where: string): Judged {
  const id = text(front['id']);
  if (!/^-?\d{1,19}$/.test(id)) return { where, bad: 'it has no id' };
  const names = (field: string): readonly unknown[] => (Array.isArray(front[field]) ? (front[field] as unknown[]) : []);
  // Who writes to another project is of his own.
  const home = text(front['from_project_slug']) || slug;
  const mail = {
    id,
    project: slug,
    from: home === slug ? front['from'] : { project: home, name: front['from'] },
    to: names('to'),
    cc: names('cc'),
    bcc: names('bcc'),
    thread: front['thread_id'],
    subject: front['subject'],
    body,
    importance: front['importance'],
    ackRequired: front['ack_required'] === true,
    created: front['created'] ?? front['created_ts'],
    attachments: front['attachments'],
  };
  return mailOp(mail, where);
}

function partsOf(whole: string): { readonly front: Json; readonly body: string } {
  const begin = FRONT.exec(whole)?.[0].length;
  if (begin === undefined) throw new Error('it does not begin with ---json');
  const end = FRONT_END.exec(whole.slice(begin));
  if (end === null) throw new Error('what begins with ---json has no end');
  const front = objectOf(JSON.parse(whole.slice(begin, begin + end.index)));
  // One blank line is before the body, and one line end behind it.
  const body = whole.slice(begin + end.index + end[0].length);
  return { front, body: body.replace(/^\r?\n/, '').replace(/\r?\n$/, '') };
}

function objectOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it has no JSON object');
  return value as Json;
}
