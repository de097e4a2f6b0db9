import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { wordsOfText } from '../../text/words.ts';

/** Words that are known to be stored: most of a new message are. */
const MAX_KNOWN = 100_000;

/** The words that a mistyped one may have meant (`src/messages/engines/fts5/spelling.ts`). */
export interface WordList {
  /** Notes the words of texts that changed, the oldest change first, in the caller's transaction. @returns whether these were all */
  follow(most: number): boolean;
  /** What was noted may have been undone. */
  forget(): void;
}

export function createWordList(db: SqliteDatabase): WordList {
  const known = new Set<string>();
  const from = db.prepare<[], number>(`SELECT value FROM meta WHERE key = 'words_seq'`).pluck();
  const setFrom = db.prepare(`UPDATE meta SET value = ? WHERE key = 'words_seq'`);
  const changed = db.prepare<[number, number], { seq: number; text: string | null }>(
    `SELECT c.seq, m.subject || char(10) || m.body_md AS text FROM text_changes c LEFT JOIN messages m ON c.kind = 'message' AND m.id = c.doc_id
     WHERE c.seq > ? ORDER BY c.seq LIMIT ?`,
  );
  const note = db.prepare('INSERT INTO words (word) VALUES (?) ON CONFLICT DO NOTHING');

  function add(text: string): void {
    for (const word of wordsOfText(text)) {
      if (known.has(word)) continue;
      if (known.size >= MAX_KNOWN) known.clear();
      note.run(word);
      known.add(word);
    }
  }

  return {
    follow(most) {
      const rows = changed.all(from.get() ?? 0, most);
      for (const { text } of rows) if (text !== null) add(text);
      const last = rows.at(-1);
      if (last !== undefined) setFrom.run(last.seq);
      return rows.length < most;
    },
    forget: () => known.clear(),
  };
}
