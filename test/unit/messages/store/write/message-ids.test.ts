import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IngestOp, MAX_WISHED_ID, PutMessage } from '../../../../../src/contracts/index.ts';
import { openMessagesReader, openMessagesWriter } from '../../../../../src/messages/store/open.ts';
import { createWriteEngine, type WriteEngine } from '../../../../../src/messages/store/write/engine.ts';

const HUGE = Number.MAX_SAFE_INTEGER;

describe('ids of messages', () => {
  let home: string;
  let file: string;
  let engine: WriteEngine;
  let at = 1_700_000_000_000_000;
  let keys = 0;

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'writ-ids-'));
    file = path.join(home, 'messages.sqlite');
    engine = createWriteEngine(file);
  });
  afterEach(() => {
    engine.close();
    rmSync(home, { recursive: true });
  });

  const apply = (...ops: IngestOp[]) => {
    at += 1;
    return engine.apply([{ ops, at }]).outcomes[0];
  };
  const message = (id?: number): IngestOp => {
    keys += 1;
    return PutMessage.parse({ op: 'message', project: 'app', key: `k${keys}`, subject: 'plan', to: ['RedFox'], ...(id !== undefined && { id }) });
  };
  const put = (id?: number): number | undefined => apply(message(id))?.ids[0];
  const remove = (id: number) => apply({ op: 'delete', id });

  it('a wish far beyond all others is not granted, and the messages after it get their own', () => {
    const ids = [put(HUGE), put(), put(MAX_WISHED_ID + 1), put()];
    expect(ids).toEqual([1, 2, 3, 4]);
  });

  it('a wish that is granted moves no others, which pass it by', () => {
    expect([put(MAX_WISHED_ID), put(), put(4), put(5), put(), put(), put(), put()]).toEqual([MAX_WISHED_ID, 1, 4, 5, 2, 3, 6, 7]);
  });

  it('no id is given twice, whatever was wished for and deleted', () => {
    const wish = fc.record({
      wished: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
      removes: fc.integer({ min: 0, max: 15 }),
      opens: fc.boolean(),
    });
    const seen = new Set<number>();
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 8 }), (steps) => {
        for (const { wished, removes, opens } of steps) {
          const id = put(wished) ?? 0;
          expect(seen.has(id)).toBe(false);
          seen.add(id);
          remove(removes);
          if (!opens) continue;
          engine.close();
          engine = createWriteEngine(file);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('a store that took such an id goes on below it, and a rebuild gives its messages others', () => {
    put();
    const db = openMessagesWriter(file);
    // As the writer before this one did: the wish is taken, and the sequence follows it.
    const insert = db.prepare(`INSERT INTO messages (id, project_id, subject, body_md, created_ts) VALUES (?, 1, ?, '', 5)`);
    for (const id of [BigInt(HUGE), BigInt(HUGE) + 1n, BigInt(HUGE) + 2n]) {
      insert.run(id, `lost ${id}`);
      db.prepare('INSERT INTO message_recipients (message_id, agent_id) SELECT ?, min(id) FROM agents').run(id);
    }
    db.close();
    engine.close();
    engine = createWriteEngine(file);
    expect(put()).toBe(2);
    expect(apply({ op: 'rebuild' })).toMatchObject({ counts: { updated: 1 } });
    expect(put()).toBe(6);
    const reader = openMessagesReader(file);
    const rows = reader
      .prepare(
        'SELECT m.id, m.subject, r.agent_id, f.message_id FROM messages m JOIN message_recipients r ON r.message_id = m.id JOIN fts_messages f ON f.rowid = m.id ORDER BY 1',
      )
      .raw();
    expect(rows.all()).toEqual([
      [1, 'plan', 1, 1],
      [2, 'plan', 1, 2],
      [3, `lost ${HUGE}`, 1, 3],
      [4, `lost ${BigInt(HUGE) + 1n}`, 1, 4],
      [5, `lost ${BigInt(HUGE) + 2n}`, 1, 5],
      [6, 'plan', 1, 6],
    ]);
    expect(reader.pragma('foreign_key_check')).toEqual([]);
    // Whoever keeps something made of texts hears of the old numbers and of the new ones.
    expect(reader.prepare(`SELECT count(*) FROM text_changes WHERE kind = 'message' AND doc_id > ?`).pluck().get(MAX_WISHED_ID)).toBe(3);
    reader.close();
  });
});
