import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { migrate } from '../../../src/adapters/sqlite/migrate.ts';
import { openDatabase } from '../../../src/adapters/sqlite/open.ts';
import { registerTextFunctions } from '../../../src/messages/store/write/full-text.ts';

const SQL = new URL('../../../src/messages/store/sql/', import.meta.url);

/** A store as the version before the parts of words made it, or before another migration, with so many messages. */
export function oldStore(file: string, messages: number, migration = '004'): void {
  const directory = path.join(path.dirname(file), `sql-before-${migration}`);
  mkdirSync(directory, { recursive: true });
  const before = readdirSync(SQL).filter((name) => name < migration);
  for (const name of before) cpSync(fileURLToPath(new URL(name, SQL)), path.join(directory, name));
  const db = openDatabase(file);
  registerTextFunctions(db);
  migrate(db, pathToFileURL(`${directory}/`));
  db.exec(`INSERT INTO projects (id, slug, human_key, created_at) VALUES (1, 'app', '/app', 0)`);
  const insert = db.prepare('INSERT INTO messages (id, project_id, subject, body_md, created_ts) VALUES (?, 1, ?, ?, ?)');
  db.transaction(() => {
    for (let id = 1; id <= messages; id += 1) insert.run(id, `message createSearch${id % 7}`, `部署完成 number ${id} of plenty`, id);
  })();
  db.close();
}
