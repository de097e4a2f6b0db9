import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IngestOp } from '../../../src/contracts/index.ts';
import { dataVersion, openMessagesReader, openMessagesWriter } from '../../../src/messages/store/open.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';
import { createWriteEngine, type WriteEngine } from '../../../src/messages/store/write/engine.ts';
import { importMark } from '../../../src/messages/store/write/imports.ts';
import { rowsIn } from '../../support/messages/rows.ts';
import { message, messages } from '../../support/messages/samples.ts';

let file: string;
let engine: WriteEngine;

beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'writ-messages-')), 'messages', 'messages.sqlite');
  engine = createWriteEngine(file);
});
afterEach(() => engine.close());

const apply = (at: number, ...ops: readonly IngestOp[]) => {
  const outcome = engine.apply([{ at, ops }]).outcomes[0];
  if (outcome === undefined) throw new Error('no outcome');
  return outcome;
};
const rows = (sql: string): readonly unknown[] => rowsIn(file, sql);
const found = (query: string): readonly unknown[] => rows(`SELECT rowid FROM fts_messages('${query}') ORDER BY rowid`).flat() as unknown[];

describe('the store of messages', () => {
  it('keeps a message with its sender, recipients and full text', () => {
    const { counts, ids } = apply(
      1,
      message({ key: 'a', cc: ['RedStone', 'GreenHill'], bcc: ['Hidden'], subject: 'Migration plan', body_md: 'drop the café table' }),
    );
    expect(counts).toMatchObject({ inserted: 1, updated: 0, refused: 0 });
    expect(ids).toEqual([1]);
    expect(rows('SELECT a.name, r.kind FROM message_recipients r JOIN agents a ON a.id = r.agent_id ORDER BY a.name')).toEqual([
      ['GreenHill', 'to'],
      ['Hidden', 'bcc'],
      ['RedStone', 'cc'],
    ]);
    expect([found('migrate'), found('cafe'), found('gre*')]).toEqual([[1], [1], []]);
  });

  it('keeps when a recipient read and acknowledged a message, also through an edit that does not say', () => {
    const receipts = () => rows('SELECT a.name, r.read_ts, r.ack_ts FROM message_recipients r JOIN agents a ON a.id = r.agent_id ORDER BY a.name');
    apply(1, message({ key: 'a', to: [{ name: 'GreenHill', read_ts: 5 }, 'RedStone'] }));
    apply(2, message({ key: 'a', subject: 'edited', to: ['GreenHill', { name: 'RedStone', read_ts: 6, ack_ts: 7 }] }));
    expect(receipts()).toEqual([
      ['GreenHill', 5, null],
      ['RedStone', 6, 7],
    ]);
    expect(apply(3, message({ key: 'a', subject: 'edited', to: ['GreenHill', 'RedStone'] })).counts).toMatchObject({ unchanged: 1 });
  });

  it('does the same batch twice as if once', () => {
    const ops = [...messages(20), { op: 'delete', project: 'backend', key: 'k3' } as const];
    apply(5, ...ops);
    const before = rows('SELECT * FROM messages');
    expect(apply(5, ...messages(3)).counts).toMatchObject({ inserted: 0, updated: 0, unchanged: 3 });
    apply(5, ...ops);
    expect(rows('SELECT * FROM messages')).toEqual(before);
  });

  it('edits text and recipients in place, and finds the new text only', () => {
    apply(1, message({ key: 'a', subject: 'first', to: ['GreenHill', 'RedStone'] }));
    const { counts, ids } = apply(2, message({ key: 'a', subject: 'second', to: ['RedStone'], cc: ['NewOne'] }));
    expect([counts.updated, ids]).toEqual([1, [1]]);
    expect([found('first'), found('second')]).toEqual([[], [1]]);
    expect(rows('SELECT count(*) FROM message_recipients')).toEqual([[2]]);
  });

  it('lets late work change nothing that newer work has settled', () => {
    apply(10, message({ key: 'a', subject: 'newest' }));
    apply(5, message({ key: 'a', subject: 'late' }));
    expect(rows('SELECT subject FROM messages')).toEqual([['newest']]);
    apply(20, { op: 'delete', id: 1 });
    apply(15, message({ key: 'a', subject: 'back from the dead' }));
    expect(rows('SELECT count(*) FROM messages')).toEqual([[0]]);
    expect(apply(21, message({ key: 'a' })).ids).toEqual([2]);
  });

  it('comes to the same end in whatever order batches arrive, and how often', () => {
    const op = fc.oneof(
      fc.record({ key: fc.constantFrom('a', 'b', 'c'), subject: fc.constantFrom('x', 'y', 'z') }).map((given) => message(given) as IngestOp),
      fc.constantFrom('a', 'b', 'c').map((key): IngestOp => ({ op: 'delete', project: 'backend', key })),
    );
    const state = 'SELECT source_key, subject FROM messages ORDER BY source_key';
    let round = 0;
    fc.assert(
      fc.property(fc.array(op, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat()), (ops, numbers) => {
        round += 1;
        const named = (side: string) => ops.map((one): IngestOp => ('project' in one ? { ...one, project: `${side}${round}` } : one));
        const [straight, mixed] = [named('s'), named('m')];
        for (const [i, one] of straight.entries()) apply(i, one);
        const order = [...mixed.keys(), ...mixed.keys()].map((i) => ({ i, by: numbers.next().value ?? 0 })).sort((a, b) => a.by - b.by);
        for (const { i } of order) apply(i, mixed[i] as IngestOp);
        const of = (side: string) => rows(state.replace('ORDER', `WHERE project_id = (SELECT id FROM projects WHERE slug = '${side}${round}') ORDER`));
        expect(of('m')).toEqual(of('s'));
      }),
      { numRuns: 25 },
    );
  });

  it('gives a wished id where it is free, and never one twice', () => {
    expect(apply(1, message({ key: 'a', id: 42 }), message({ key: 'b', id: 42 })).ids).toEqual([42, 1]);
    apply(2, { op: 'delete', id: 42 }, { op: 'delete', id: 1 });
    expect(apply(3, message({ key: 'c' }), message({ key: 'd', id: 42 }), message({ key: 'e', id: 1 })).ids).toEqual([2, 3, 4]);
  });

  it('joins the thread of the message that is replied to', () => {
    apply(1, message({ key: 'root', thread_id: 'T' }), message({ key: 'reply', in_reply_to: 'root' }), message({ key: 'orphan', in_reply_to: 'gone' }));
    expect(rows('SELECT thread_id FROM messages ORDER BY id')).toEqual([['T'], ['T'], ['gone']]);
  });

  it('keeps products with their projects, agents and contacts, and refuses what cannot be', () => {
    const uid = 'a1b2';
    const { counts, refusals } = apply(
      1,
      { op: 'product', product_uid: uid, name: 'Suite' },
      { op: 'product', product_uid: 'other', name: 'Suite' },
      { op: 'link', product_uid: uid, project: 'backend' },
      { op: 'link', product_uid: 'none', project: 'backend' },
      { op: 'agent', project: 'backend', name: 'BlueLake', task_description: 'Refactoring parsers', contact_policy: 'contacts_only' },
      {
        op: 'contact',
        from: { project: 'backend', name: 'BlueLake' },
        to: { project: 'web', name: 'RedStone' },
        status: 'approved',
        reason: '',
        expires_ts: null,
      },
      { op: 'project', slug: 'backend', human_key: '/srv/backend' },
    );
    expect(counts.refused).toBe(2);
    expect(refusals).toEqual(['another product has the name Suite', 'there is no product none']);
    expect(rows(`SELECT rowid FROM fts_agents('refactor')`)).toEqual([[1]]);
    expect(rows(`SELECT rowid FROM fts_projects('srv')`)).toEqual([[1]]);
    apply(2, { op: 'unlink', product_uid: uid, project: 'backend' });
    apply(1, { op: 'link', product_uid: uid, project: 'backend' });
    expect(rows('SELECT count(*) FROM product_project_links')).toEqual([[0]]);
    expect(rows('SELECT status FROM agent_links')).toEqual([['approved']]);
  });

  it('raises the version of the data with every change and with nothing else', () => {
    const version = (): number => {
      const db = openMessagesReader(file);
      const value = dataVersion(db);
      db.close();
      return value;
    };
    apply(1, message({ key: 'a' }));
    const first = version();
    apply(1, message({ key: 'a' }));
    expect(version()).toBe(first);
    apply(2, message({ key: 'a', subject: 'other' }));
    expect(version()).toBe(first + 1);
  });

  it('makes the full text anew from the rows', () => {
    apply(1, ...messages(30));
    const db = openMessagesWriter(file);
    db.exec('DELETE FROM fts_messages');
    db.close();
    const { news } = engine.apply([{ at: 2, ops: [{ op: 'rebuild' }] }]);
    expect(news.rebuild?.documents).toBe(30 + 2 + 1);
    expect(found('k7')).toEqual([8]);
  });

  it.each([
    ['its index', `UPDATE fts_messages_data SET block = zeroblob(length(block)) WHERE id > 10`],
    ['the list of its pages', `DELETE FROM fts_messages_idx`],
    ['its structure', `UPDATE fts_messages_data SET block = x'00' WHERE id = 10`],
    ['its own copy of the texts', `DELETE FROM fts_messages_content WHERE id > 5`],
    ['the index of trigrams', `UPDATE fts_grams_data SET block = zeroblob(length(block)) WHERE id > 10`],
    ['the lengths of its texts', `UPDATE fts_messages_docsize SET sz = x'ff'`],
    ['its weights', `DELETE FROM fts_messages_config WHERE k = 'rank'`],
  ])('makes the full text anew where %s is damaged', (_, damage) => {
    apply(1, ...messages(30));
    engine.close();
    const copies = ['fts_messages_content', 'fts_agents_content', 'fts_projects_content'];
    const tables = ['messages', 'grams', 'agents', 'projects'];
    const parts = [...copies, ...tables.map((table) => `fts_${table}_config`)].map((part) => `SELECT * FROM ${part} ORDER BY 1`);
    // Which segment a row came with is no matter of its text.
    const lengths = tables.map((table) => `SELECT id, sz FROM fts_${table}_docsize ORDER BY 1`);
    const contents = () => [...[...parts, ...lengths].map((asked) => rows(asked)), rows(`SELECT rowid FROM fts_grams('"k7"')`)];
    const before = [contents(), rows(`SELECT rowid, rank FROM fts_messages('k7 OR k8')`)];
    const db = openMessagesWriter(file);
    db.unsafeMode(true).exec(damage);
    db.close();
    engine = createWriteEngine(file);
    expect(engine.apply([{ at: 2, ops: [{ op: 'rebuild' }] }]).news.rebuild?.documents).toBe(30 + 2 + 1);
    expect([contents(), rows(`SELECT rowid, rank FROM fts_messages('k7 OR k8')`)]).toEqual(before);
    apply(3, message({ key: 'later', subject: 'Zeppelin' }));
    expect(found('zeppelin')).toEqual([31]);
    expect(() => rows(`SELECT * FROM fts_messages`)).not.toThrow();
  });

  it('remembers how far an import came, and never goes back', () => {
    apply(5, { op: 'mark', name: 'file', position: '900', items: 9, bad: 1, pass: 7, finished: false });
    apply(4, { op: 'mark', name: 'file', position: '100', items: 1, bad: 0, pass: 6, finished: false });
    const db = openMessagesReader(file);
    expect(importMark(db, 'file')).toEqual({ position: '900', items: 9, bad: 1, pass: 7, finished: false });
    expect(importMark(db, 'never')).toBeUndefined();
    db.close();
  });
});

describe('the thread of the writer', () => {
  it('does what came while it was busy in one transaction, and answers each for itself', async () => {
    const commits: number[] = [];
    const own = file.replace('messages.sqlite', 'threaded.sqlite');
    await using store = createMessageStore({ file: own, batchOps: 100, onCommit: ({ documents }) => commits.push(documents) });
    await store.start();
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, i) => store.write({ at: i, ops: messages(10, i * 10) })));
    expect(outcomes.map(({ counts }) => counts.inserted)).toEqual(Array.from({ length: 30 }, () => 10));
    expect(outcomes[29]?.ids).toEqual([291, 292, 293, 294, 295, 296, 297, 298, 299, 300]);
    expect(commits).toEqual([10, 100, 100, 90]);
  });

  it('lets no second process write, and harms no batch beside one that cannot be done', async () => {
    const own = file.replace('messages.sqlite', 'alone.sqlite');
    await using store = createMessageStore({ file: own, batchOps: 100 });
    await store.start();
    await expect(createMessageStore({ file: own, batchOps: 1 }).start()).rejects.toMatchObject({ code: 'POOL_OWNED' });
    const bad = { at: 1, ops: [message({ key: 'bad', importance: 'extreme' as 'high' })] };
    const all = await Promise.allSettled([store.write({ at: 1, ops: messages(1) }), store.write(bad), store.write({ at: 1, ops: messages(1, 1) })]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await store.stop();
    await expect(store.write(bad)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });
});
