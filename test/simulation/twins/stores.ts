import { openJournalEngine } from '../../../src/adapters/sqlite/journal/journal-engine.ts';
import { journalPort, settled } from '../../../src/adapters/sqlite/journal/journal-requests.ts';
import { migrate } from '../../../src/adapters/sqlite/migrate.ts';
import { openDatabase, type SqliteDatabase } from '../../../src/adapters/sqlite/open.ts';
import { planStatements } from '../../../src/adapters/sqlite/plan-journal/plan-journal-statements.ts';
import { toolStatements } from '../../../src/adapters/sqlite/tool-journal/tool-journal-statements.ts';
import { WritError } from '../../../src/core/errors.ts';
import type { FileJournal, PlanJournal, ToolJournal } from '../../../src/core/ports/index.ts';
import type { SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';

/**
 * The journals of one host: the product's own SQL on SQLite in memory, opened once per process and emptied for each
 * history. What a call resolves is durable; of a call that was cut off either all is there or nothing. A mutant may leave
 * writes unsynced: then the power takes those after the last synced one.
 */
export interface Stores {
  readonly file: FileJournal;
  readonly tool: ToolJournal;
  readonly plan: PlanJournal;
}

type Apply = (method: string, args: readonly unknown[]) => unknown;

interface Engine {
  readonly apply: Apply;
  readonly empty: () => void;
  /** Removes what is kept of rows that were trimmed. */
  readonly forget: () => void;
  /** Something was written since it was emptied. */
  isUsed?: boolean;
}

interface Write {
  readonly method: string;
  readonly args: readonly unknown[];
  synced: boolean;
}

const WRITES: ReadonlySet<string> = new Set([
  ...['open', 'seal', 'publish', 'adopt', 'close', 'reportIncident', 'vaultForget', 'withdraw', 'trim'],
  ...['begin', 'note', 'append', 'end', 'lose'],
]);

/** One journal: who asks is charged with a call, and the full disk refuses writes. */
export class StoreTwin {
  readonly #engine: Engine;
  readonly #world: World;
  readonly #name: string;
  /** Writes that a mutant does not sync, by method. */
  readonly #unsynced: ReadonlySet<string>;
  readonly #forgets: boolean;
  #writes: Write[] = [];
  /** What was looked up since the last write: checkers ask the same at many events. */
  readonly #seen = new Map<string, unknown>();

  constructor(world: World, name: keyof Stores, unsynced: ReadonlySet<string>, forgets = false) {
    this.#forgets = forgets;
    this.#world = world;
    this.#name = name;
    this.#unsynced = unsynced;
    this.#engine = engineOf(name);
    this.#empty();
  }

  /** Whether anything was ever written. */
  get isUsed(): boolean {
    return this.#engine.isUsed ?? false;
  }

  /** Asks at once, for the checker: no call, no fault. */
  look(method: string, ...args: readonly (string | number)[]): unknown {
    const question = `${method} ${args.join(' ')}`;
    if (!this.#seen.has(question)) this.#seen.set(question, this.#engine.apply(method, args));
    return this.#seen.get(question);
  }

  /** Whether an attempt was taken back before anything was done. */
  wasWithdrawn(taskId: string, n: number): boolean {
    return this.#writes.some(({ method, args }) => method === 'withdraw' && args[0] === taskId && args[1] === n);
  }

  ask(process: SimProcess, method: string, args: readonly unknown[]): Promise<unknown> {
    const writes = WRITES.has(method);
    const what = `${this.#name}-journal.${method} ${typeof args[0] === 'string' ? args[0].slice(0, 24) : ''}`;
    return this.#world.call(process, { to: 'journal', what, effect: () => this.#carryOut(method, args, writes) });
  }

  #carryOut(method: string, args: readonly unknown[], writes: boolean): unknown {
    if (writes && this.#world.isDiskFull) throw new WritError('STORAGE_UNAVAILABLE', 'the journal cannot be used: database or disk is full');
    if (writes) this.#changes();
    const answer = this.#engine.apply(method, args);
    if (method === 'trim' && this.#forgets) this.#engine.forget();
    if (!writes) return answer;
    const synced = !this.#unsynced.has(method);
    if (synced) for (const earlier of this.#writes) earlier.synced = true;
    this.#writes.push({ method, args, synced });
    return answer;
  }

  /** The power goes: writes that no sync has followed are gone. */
  cut(): void {
    const durable = this.#writes.filter(({ synced }) => synced);
    if (durable.length === this.#writes.length) return;
    this.#empty();
    this.#writes = [];
    this.#changes();
    for (const { method, args } of durable) this.#engine.apply(method, args);
    this.#writes = durable;
  }

  #changes(): void {
    this.#engine.isUsed = true;
    this.#seen.clear();
  }

  #empty(): void {
    if (this.#engine.isUsed) this.#engine.empty();
    this.#engine.isUsed = false;
    this.#seen.clear();
  }
}

const engines = new Map<keyof Stores, Engine>();

function engineOf(name: keyof Stores): Engine {
  const known = engines.get(name) ?? OPEN[name]();
  engines.set(name, known);
  return known;
}

const OPEN = {
  file(): Engine {
    const { db, run } = openJournalEngine(':memory:');
    const apply: Apply = (op, args) => {
      const [outcome] = run([{ op, args } as Parameters<typeof run>[0][number]]).map(settled);
      if (outcome === undefined || 'error' in outcome) throw outcome?.error ?? new Error('the journal did not answer');
      return outcome.answer;
    };
    return { apply, empty: emptied(db, ['meta', 'tally']), forget: forgetting(db) };
  },
  tool: (): Engine => statementsEngine('../../../src/adapters/sqlite/sql/tool-journal/', toolStatements),
  plan: (): Engine => statementsEngine('../../../src/adapters/sqlite/sql/plan-journal/', planStatements),
} satisfies Record<keyof Stores, () => Engine>;

function statementsEngine(migrations: string, open: (db: SqliteDatabase) => object): Engine {
  const db = openDatabase(':memory:');
  migrate(db, new URL(migrations, import.meta.url));
  const statements = open(db);
  const apply = db.transaction((method: string, args: readonly unknown[]) => {
    const statement: unknown = Reflect.get(statements, method);
    if (typeof statement !== 'function') throw new Error(`there is no ${method}`);
    return Reflect.apply(statement, statements, args) as unknown;
  });
  return { apply, empty: emptied(db, []), forget: forgetting(db) };
}

/** The guard against it was dropped for `emptied`. */
function forgetting(db: SqliteDatabase): () => void {
  const forget = db.prepare('DELETE FROM trimmed');
  return () => void forget.run();
}

export function emptied(db: SqliteDatabase, keep: readonly string[]): () => void {
  const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  // The product's own guard against deletes would keep one history's rows for the next.
  const guards = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%BEFORE DELETE%RAISE%'").all();
  for (const { name } of guards) db.exec(`DROP TRIGGER "${name}"`);
  const names = tables.map(({ name }) => name).filter((name) => !keep.includes(name));
  const statements = referringFirst(db, names).map((name) => db.prepare(`DELETE FROM "${name}"`));
  return () => {
    for (const statement of statements) statement.run();
  };
}

/** Without a pragma for foreign keys: that one has SQLite compile every statement anew, which took as long as all of them. */
function referringFirst(db: SqliteDatabase, names: readonly string[]): readonly string[] {
  const refersTo = db.prepare<[string], { table: string }>('SELECT "table" FROM pragma_foreign_key_list(?)');
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    for (const other of names) if (other !== name && refersTo.all(other).some(({ table }) => table === name)) visit(other);
    found.add(name);
  };
  for (const name of names) visit(name);
  return [...found];
}

/** The file journal of one process. */
export function fileJournalOf(store: StoreTwin, process: SimProcess): FileJournal {
  return journalPort(({ op, args }) => store.ask(process, op, args));
}

/** A port whose calls go to the store. */
export function portOf<T extends object>(store: StoreTwin, process: SimProcess): T {
  return new Proxy({} as T, { get: (_target, method) => (method === 'then' ? undefined : (...args: unknown[]) => store.ask(process, String(method), args)) });
}
