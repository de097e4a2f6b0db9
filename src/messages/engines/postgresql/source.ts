import { createHash } from 'node:crypto';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { createChanges } from '../../store/changes.ts';
import { createPositionReader } from '../../store/position.ts';
import { bodyPartsOf, partsOf } from '../../text/parts.ts';
import type { Texts, Tokens } from './tokens.ts';

/** What a step of the mirror copies, all of one state of the store. */
export interface SourceBatch {
  readonly store: string;
  /** How far the copy is with this batch. */
  readonly seq: number;
  readonly isLast: boolean;
  /** Messages as PostgreSQL has them. */
  readonly messages: readonly object[];
  readonly gone: readonly number[];
  readonly places: Places;
}

/** Projects, agents, products, contacts and keys of cursors: few, and copied as a whole when any of it has changed. */
export interface Places {
  readonly hash: string;
  /** The number of their newest change. */
  readonly version: number;
  readonly projects: readonly object[];
  readonly agents: readonly object[];
  readonly product_project_links: readonly object[];
  readonly agent_links: readonly object[];
  readonly products: readonly object[];
  /** Secrets in hexadecimal digits. */
  readonly cursor_keys: readonly object[];
}

export interface Source {
  batch(after: number, most: number): SourceBatch;
}

interface MessageRow {
  readonly id: number;
  readonly subject: string;
  readonly body_md: string;
  readonly attachments: string;
}

/** Reads what changed in a database of messages, with its words. It stays its owner's. */
export function createSource(db: SqliteDatabase, tokens: Tokens): Source {
  const changes = createChanges(db);
  const message = db.prepare<[number], MessageRow>(
    'SELECT id, project_id, sender_id, thread_id, subject, body_md, importance, ack_required, created_ts, attachments FROM messages WHERE id = ?',
  );
  const recipients = db.prepare<[number], { agent_id: number; kind: string }>('SELECT agent_id, kind FROM message_recipients WHERE message_id = ?');
  const readPlaces = placesIn(db, tokens);

  function rowOf(row: MessageRow, vector: string, count: number): object {
    const { attachments: _, ...columns } = row;
    const got = recipients.all(row.id);
    const ids = (...kinds: readonly string[]): number[] => got.filter(({ kind }) => kinds.includes(kind)).map(({ agent_id }) => agent_id);
    return { ...columns, recipients: ids('to', 'cc'), cc: ids('cc'), bcc: ids('bcc'), words: vector, word_count: count };
  }

  return {
    batch: (after, most) =>
      db.transaction(() => {
        const changed = changes.after(after, most, 'message');
        const rows = changed.flatMap(({ id }) => message.get(id) ?? []);
        const words = tokens.wordsOf(rows.map(({ subject, body_md, attachments }) => [subject, body_md, partsOf(subject), bodyPartsOf(body_md, attachments)]));
        const isLast = changed.length < most;
        const there = new Set(rows.map(({ id }) => id));
        return {
          store: changes.store(),
          seq: isLast ? changes.newest() : (changed.at(-1)?.seq ?? after),
          isLast,
          messages: rows.map((row, index) => rowOf(row, words[index]?.vector ?? '', words[index]?.count ?? 0)),
          gone: changed.flatMap(({ id }) => (there.has(id) ? [] : [id])),
          places: readPlaces(),
        };
      })(),
  };
}

/** Words of agents and projects are made only where something has changed. */
function placesIn(db: SqliteDatabase, tokens: Tokens): () => Places {
  const projects = db.prepare<[], { slug: string; human_key: string }>('SELECT id, slug, human_key, created_at FROM projects ORDER BY id');
  const agents = db.prepare<[], { name: string; task_description: string }>(
    'SELECT id, project_id, name, task_description, contact_policy, inception_ts FROM agents ORDER BY id',
  );
  const links = db.prepare<[], object>('SELECT DISTINCT product_id, project_id FROM product_project_links ORDER BY product_id, project_id');
  const contacts = db.prepare<[], object>('SELECT DISTINCT a_agent_id, b_agent_id, status, expires_ts FROM agent_links ORDER BY a_agent_id, b_agent_id');
  const products = db.prepare<[], object>('SELECT id, product_uid, name FROM products ORDER BY id');
  const keys = db.prepare<[], object>('SELECT id, lower(hex(secret)) AS secret FROM cursor_keys ORDER BY id');
  const position = createPositionReader(db);
  let known: Omit<Places, 'version'> | undefined;
  return () => {
    const people = { projects: projects.all(), agents: agents.all(), agent_links: contacts.all() };
    const read = { ...people, product_project_links: links.all(), products: products.all(), cursor_keys: keys.all() };
    const hash = createHash('sha256').update(JSON.stringify(read)).digest('hex');
    if (known?.hash !== hash) {
      known = {
        ...read,
        hash,
        projects: withWords(tokens, read.projects, ({ slug, human_key }) => [slug, human_key, '', '']),
        agents: withWords(tokens, read.agents, ({ name, task_description }) => [name, task_description, '', '']),
      };
    }
    return { ...known, version: position().places };
  };
}

function withWords<T extends object>(tokens: Tokens, rows: readonly T[], textsOf: (row: T) => Texts): object[] {
  const words = tokens.wordsOf(rows.map(textsOf));
  return rows.map((row, index) => ({ ...row, words: words[index]?.vector ?? '', word_count: words[index]?.count ?? 0 }));
}
