import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openMessagesReader, openMessagesWriter } from '../../../src/messages/store/open.ts';
import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';
import { killedAfter } from '../../support/messages/killed.ts';
import { oldStore } from '../../support/messages/old-store.ts';
import { removeTree } from '../../support/remove-tree.ts';
import { searchOver } from '../../support/search-service.ts';

const home = mkdtempSync(path.join(tmpdir(), 'writ-full-text-'));
afterAll(() => removeTree(home));

async function found(file: string, text: string): Promise<number> {
  const service = searchOver(file);
  const { explain } = await service.search({ text, explain: true, retry: false }, null);
  service.close();
  return explain?.matched_count ?? 0;
}

function isWhole(file: string): boolean {
  const db = openMessagesReader(file);
  const left = db.prepare(`SELECT 1 FROM meta WHERE key = 'full_text_done'`).pluck().get();
  db.close();
  return left === undefined;
}

/** The index says of itself that it is sound, and has each row once. */
function expectSound(file: string, rows: number): void {
  const db = openMessagesWriter(file);
  db.exec(`INSERT INTO fts_messages (fts_messages, rank) VALUES ('integrity-check', 0)`);
  const count = (table: string): unknown => db.prepare(`SELECT count(*) FROM ${table}_docsize`).pluck().get();
  expect([count('fts_messages'), count('fts_grams')]).toEqual([rows, rows]);
  expect(db.prepare('SELECT count(*) FROM words WHERE word IN (?, ?)').pluck().get('plenty', 'create')).toBe(2);
  db.close();
}

describe('the full text of a store of before', () => {
  it('is made in steps, while the old one answers and messages come, change and go', async () => {
    const file = path.join(home, 'steps.sqlite');
    oldStore(file, 2600);
    const engine = createWriteEngine(file);
    expect([isWhole(file), await found(file, 'message'), await found(file, 'plenty')]).toEqual([false, 2600, 2600]);
    const writer = openMessagesWriter(file);
    // Rows that are in the new index by now, rows that are not yet, and one behind all of them.
    writer.exec(`UPDATE messages SET subject = 'other' WHERE id IN (3, 2400); DELETE FROM messages WHERE id IN (4, 2401);
      INSERT INTO messages (id, project_id, subject, body_md, created_ts) VALUES (9000, 1, 'message createSearch1', 'of plenty', 1)`);
    expect([await found(file, 'message'), await found(file, 'other')]).toEqual([2597, 2]);
    while (!engine.advance());
    engine.close();
    writer.exec(`DELETE FROM messages WHERE id = 5`);
    writer.close();
    expect([isWhole(file), await found(file, 'message'), await found(file, 'create search'), await found(file, '完成')]).toEqual([true, 2596, 2598 - 2, 2597]);
    expectSound(file, 2598);
  });

  it('goes on where a kill left it', async () => {
    const file = path.join(home, 'killed.sqlite');
    oldStore(file, 3000);
    for (const [lines, afterMs] of [
      [1, 3],
      [1, 20],
    ] as const) {
      await killedAfter('./fill-child.ts', { file }, lines, afterMs);
      expect(await found(file, 'message')).toBe(3000);
    }
    const engine = createWriteEngine(file);
    while (!engine.advance());
    engine.close();
    expect([isWhole(file), await found(file, 'create search')]).toEqual([true, 3000]);
    expectSound(file, 3000);
  });
});
