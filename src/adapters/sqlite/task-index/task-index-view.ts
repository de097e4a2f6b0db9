import { statSync } from 'node:fs';
import type { TaskFilter, TaskPage } from '../../../contracts/index.ts';
import { listTasks, type PageRequest, type Statements } from './task-index-list.ts';
import { isDamage, type OpenView, openView } from './task-index-open.ts';

/** The file is not what it was: its generation when it could be read, so that its owner replaces no newer one. */
export interface Lost {
  readonly lost: string;
}

/** What the reading thread answers; every answer is the state of the last COMMIT. */
export interface IndexViews {
  list(filter: TaskFilter, page: PageRequest): TaskPage | Lost;
}

export interface IndexView extends IndexViews {
  close(): void;
}

interface Opened extends OpenView {
  readonly statements: Statements;
}

/**
 * The task index for looking, on a connection of its own that never writes: a page waits for no batch. Opens the file at
 * the first question, and again when another file has taken its place. Blocks its thread.
 */
export function createIndexView({ file }: { readonly file: string }): IndexView {
  let open: Opened | undefined;

  function close(): void {
    open?.db.close();
    open = undefined;
  }

  function opened(): Opened | undefined {
    if (open !== undefined && !open.intact()) close();
    if (open === undefined && statSync(file, { throwIfNoEntry: false }) !== undefined) {
      const view = openView(file);
      open = view && { ...view, statements: keptStatements(view.db) };
    }
    return open;
  }

  /** One snapshot for all statements of an answer. */
  function answer<T>(work: (view: Opened) => T): T | Lost {
    const view = opened();
    if (view === undefined) return { lost: '' };
    try {
      return view.db.transaction(() => work(view))();
    } catch (error) {
      if (!isDamage(error)) throw error;
      close();
      return { lost: view.generation };
    }
  }

  return {
    list: (filter, page) => answer(({ statements }) => listTasks(statements, filter, page)),
    close,
  };
}

/** Filters come in a few dozen shapes: each statement is prepared once. */
function keptStatements(db: OpenView['db']): Statements {
  const kept = new Map<string, ReturnType<Statements['prepare']>>();
  return {
    prepare: ((sql: string) => {
      const known = kept.get(sql) ?? db.prepare(sql);
      kept.set(sql, known);
      return known;
    }) as Statements['prepare'],
  };
}
