import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/open.ts';
import { openMessagesReader, openMessagesWriter } from '../../../src/messages/store/open.ts';
import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';
import { fillFullText, registerTextFunctions } from '../../../src/messages/store/write/full-text.ts';
import { oldStore } from '../../support/messages/old-store.ts';
import { removeTree } from '../../support/remove-tree.ts';
import { searchOver } from '../../support/search-service.ts';

const home = mkdtempSync(path.join(tmpdir(), 'writ-accents-'));
const TEXTS = [
  ['Настройка миграции сервера', 'рабочий каталог'],
  ['Διαμόρφωση του διακομιστή', 'το σφάλμα'],
  ['Сказка', 'ёжик в тумане'],
  ['كتب', 'الكِتَابُ الأول'],
  ['ניקוד', 'שָׁלוֹם'],
  ['Coffee', 'un café'],
] as const;

const file = path.join(home, 'new.sqlite');
{
  const engine = createWriteEngine(file);
  const mail = ([subject, body_md]: (typeof TEXTS)[number], index: number) => ({
    op: 'message' as const,
    project: 'app',
    key: String(index),
    from: 'Ёж',
    to: ['Bob'],
    cc: [],
    bcc: [],
    thread_id: null,
    subject,
    body_md,
    importance: 'normal' as const,
    ack_required: false,
    created_ts: 1,
    attachments: [],
  });
  engine.apply([{ at: 1, ops: TEXTS.map(mail) }]);
  engine.close();
}
const search = searchOver(file);
afterAll(() => {
  search.close();
  removeTree(home);
});

describe('words of other scripts than Latin', () => {
  it.each([
    ['ежик', 'Сказка'],
    ['ЁЖИК', 'Сказка'],
    ['настроика', 'Настройка миграции сервера'],
    ['НАСТРОЙКА рабочии', 'Настройка миграции сервера'],
    ['настрой*', 'Настройка миграции сервера'],
    ['"настроика миграции"', 'Настройка миграции сервера'],
    ['subject:настроика', 'Настройка миграции сервера'],
    ['настройка'.normalize('NFD'), 'Настройка миграции сервера'],
    ['миграцйи', 'Настройка миграции сервера'],
    ['διαμορφωση', 'Διαμόρφωση του διακομιστή'],
    ['ΣΦΑΛΜΑ', 'Διαμόρφωση του διακομιστή'],
    ['σφαλμα', 'Διαμόρφωση του διακομιστή'],
    ['الكتاب', 'كتب'],
    ['الاول', 'كتب'],
    ['שלום', 'ניקוד'],
    ['cafe', 'Coffee'],
  ])('are compared without accents and points: %s', async (text, title) => {
    const { results } = await search.search({ text, retry: false }, null);
    expect(results.map((row) => row.title)).toEqual([title]);
  });

  it.each([
    ['настройга', 'Настройка миграции сервера'],
    ['рабачий', 'Настройка миграции сервера'],
    ['рабочй', 'Настройка миграции сервера'],
    ['διαμόρφοση', 'Διαμόρφωση του διακομιστή'],
  ])('are found by other spellings: %s', async (text, title) => {
    const { results, retry } = await search.search({ text }, null);
    expect([retry?.by, results.map((row) => row.title)]).toEqual(['spelling', [title]]);
  });

  it('are left out behind NOT, and found in agents', async () => {
    expect((await search.search({ text: 'тумане NOT ежик', retry: false }, null)).results).toEqual([]);
    expect((await search.search({ text: 'еж', doc_kind: 'agent' }, null)).results).toMatchObject([{ title: 'Ёж' }]);
  });

  it('are marked in snippets as they are written', async () => {
    const marked = async (text: string) => {
      const [row] = (await search.search({ text, snippets: true }, null)).results;
      return [row?.snippet?.text, row?.snippet?.highlights.map(({ start, end }) => row.snippet?.text.slice(start, end))];
    };
    expect(await marked('ежик')).toEqual(['ёжик в тумане', ['ёжик']]);
    expect(await marked('рабочии')).toEqual(['рабочий каталог', ['рабочий']]);
    expect(await marked('الكتاب')).toEqual(['الكِتَابُ الأول', []]);
  });
});

describe('a store of before', () => {
  async function found(store: string, text: string): Promise<number> {
    const service = searchOver(store);
    const { explain } = await service.search({ text, explain: true, retry: false }, null);
    service.close();
    return explain?.matched_count ?? 0;
  }

  /** As it was: whole, with its marks. */
  function withMarks(store: string, messages: number): void {
    oldStore(store, messages, '007');
    const db = openDatabase(store);
    registerTextFunctions(db);
    while (!fillFullText(db));
    db.exec(`UPDATE messages SET body_md = 'ёжик ' || id WHERE id % 3 = 0`);
    db.exec(`INSERT INTO agents (id, project_id, name, task_description, inception_ts, last_active_ts) VALUES (1, 1, 'Ёж', 'обойти', 0, 0)`);
    db.exec(`UPDATE fts_messages SET body = 'ёжик ' || rowid WHERE rowid % 3 = 0`);
    db.close();
  }

  it('loses its marks in steps, is searched with them until then, and notes what it changed', async () => {
    const store = path.join(home, 'old.sqlite');
    withMarks(store, 2400);
    const engine = createWriteEngine(store);
    expect([await found(store, 'ёжик'), (await found(store, 'ежик')) < 800]).toEqual([800, true]);
    const writer = openMessagesWriter(store);
    writer.exec(
      `INSERT INTO messages (id, project_id, subject, body_md, created_ts) VALUES (9000, 1, 'new', 'ёжик', 1); DELETE FROM messages WHERE id IN (3, 2400)`,
    );
    expect(await found(store, 'ёжик')).toBe(799);
    while (!engine.advance());
    engine.close();
    expect([await found(store, 'ёжик'), await found(store, 'ежик'), await found(store, 'plenty')]).toEqual([799, 799, 1600]);
    writer.exec(`INSERT INTO fts_messages (fts_messages, rank) VALUES ('integrity-check', 0)`);
    writer.close();
    const db = openMessagesReader(store);
    expect(db.prepare(`SELECT count(*) FROM meta WHERE key = 'marks_done'`).pluck().get()).toBe(0);
    const [changed] = db
      .prepare<[], number>(`SELECT count(*) FROM text_changes WHERE kind = 'message' AND seq > (SELECT max(seq) FROM text_changes WHERE kind = 'agent')`)
      .pluck()
      .all();
    expect(changed).toBe(801);
    db.close();
  });

  it('that is small has lost them when it is open, and keeps it when it is made anew', async () => {
    const store = path.join(home, 'small.sqlite');
    withMarks(store, 30);
    const engine = createWriteEngine(store);
    expect([await found(store, 'ежик'), await found(store, 'ёжик')]).toEqual([10, 10]);
    engine.apply([{ at: 1, ops: [{ op: 'rebuild' }] }]);
    engine.close();
    expect([await found(store, 'ежик'), await found(store, 'ёжик')]).toEqual([10, 10]);
  });
});
