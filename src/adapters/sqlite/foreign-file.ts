import { closeSync, constants, fstatSync, openSync, readdirSync, type Stats } from 'node:fs';
import type Database from 'better-sqlite3';
import type { DatasetRefusal } from '../../core/ports/dataset-source.ts';
import { refusalOfOpening, unavailable } from '../duckdb/regular-file.ts';
import { Sqlite } from './driver.ts';

/** A database of somebody else, opened for one search. */
export interface ForeignFile {
  readonly ok: true;
  readonly db: Database.Database;
  close(): void;
}

/** O_NONBLOCK: opening a FIFO must not wait for its writer. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens the file once without following a link, hands that descriptor to SQLite, and looks afterwards which file SQLite has
 * opened: it resolves the descriptor to a path again, where somebody may have put another file meanwhile.
 *
 * Ours stays open until SQLite is done: closing any descriptor of a file gives up this process's locks on it.
 *
 * @param between called when ours is open and SQLite's is not, for tests of exactly that moment
 * @throws what better-sqlite3 throws when SQLite cannot open the file
 */
export function openForeignFile(path: string, between = (): void => undefined): ForeignFile | DatasetRefusal {
  let fd: number;
  try {
    fd = openSync(path, FLAGS);
  } catch (error) {
    return refusalOfOpening(error);
  }
  const stats = fstatSync(fd);
  if (!stats.isFile()) return refused(fd, 'the path is not a regular file');
  let db: Database.Database | undefined;
  const close = (): void => {
    db?.close();
    closeSync(fd);
  };
  try {
    between();
    db = new Sqlite(`/proc/self/fd/${fd}`, { readonly: true, fileMustExist: true, timeout: 5000 });
    if (hasOpened(stats, fd)) return { ok: true, db, close };
  } catch (error) {
    close();
    throw error;
  }
  db.close();
  return refused(fd, 'the file was replaced while it was opened');
}

function refused(fd: number, message: string): DatasetRefusal {
  closeSync(fd);
  return unavailable(message);
}

/** Whether another descriptor than ours leads to this file. One search at a time: it can only be SQLite's. */
function hasOpened(file: Stats, ours: number): boolean {
  return readdirSync('/proc/self/fd').some((name) => Number(name) !== ours && isSame(Number(name), file));
}

function isSame(fd: number, file: Stats): boolean {
  try {
    const { dev, ino } = fstatSync(fd);
    return dev === file.dev && ino === file.ino;
  } catch {
    // The descriptor of the listing itself, closed by now.
    return false;
  }
}
