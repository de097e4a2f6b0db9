import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

/** `device inode` of each file below a directory, by its place in it. */
export type Inodes = Readonly<Record<string, string>>;

const COLUMNS = ['source_identity', 'sealed_identity', 'outcome_identity', 'standing_identity'] as const;

export function inodesIn(directory: string): Inodes {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const places = files.map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(places.map((file) => [path.relative(directory, file), identityOf(file).split(' ').slice(0, 2).join(' ')]));
}

/**
 * A journal knows files by their inodes, which an archive does not keep: it is told of the files that stand for them, as if the file
 * system had been taken as a whole.
 */
export function adoptFiles(journal: string, directory: string, then: Inodes): void {
  const now = new Map(
    Object.entries(then).flatMap(([place, inode]) => (existsSync(path.join(directory, place)) ? [[inode, identityOf(path.join(directory, place))]] : [])),
  );
  const db = new Database(journal);
  // They forbid what is done here, and come back after it.
  const triggers = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'attempt'").all() as { name: string; sql: string }[];
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  for (const column of COLUMNS) {
    const rows = db.prepare(`SELECT rowid, ${column} AS identity FROM attempt WHERE ${column} IS NOT NULL`).all() as { rowid: number; identity: string }[];
    const set = db.prepare(`UPDATE attempt SET ${column} = ? WHERE rowid = ?`);
    for (const { rowid, identity } of rows) {
      const found = now.get(identity.split(' ').slice(0, 2).join(' '));
      if (found !== undefined) set.run(found, rowid);
    }
  }
  for (const { sql } of triggers) db.exec(sql);
  db.close();
}

function identityOf(file: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
