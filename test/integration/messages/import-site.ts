import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IngestOp } from '../../../src/contracts/index.ts';
import type { ImportOptions, IngestEnd, IngestGateway } from '../../../src/core/ports/index.ts';
import { fieldText, mailDate, readMail } from '../../../src/executors/search/index.ts';
import { openImport } from '../../../src/messages/import/open-source.ts';
import { openMessagesReader } from '../../../src/messages/store/open.ts';
import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';
import { importMark } from '../../../src/messages/store/write/imports.ts';
import { type ImportSummary, importMessages, importStart } from '../../../src/surfaces/shared/messages/import.ts';

const READER = { read: readMail, text: fieldText, date: mailDate };

/** What becomes of the jobs of an import. */
export interface Through {
  /** Jobs until it is stopped, as a person does. */
  readonly most?: number;
  /** Jobs that the writer gives up after, as one whose disk is full does. */
  readonly stored?: number;
  /** Every job that was submitted. */
  readonly jobs?: (readonly IngestOp[])[];
}

/** A folder for sources and a database beside it, which the writer fills without its queue. */
export interface ImportSite extends Disposable {
  readonly directory: string;
  open(path: string, more?: Partial<ImportOptions>): ReturnType<typeof openImport>;
  run(path: string, more?: Partial<ImportOptions>, through?: Through): Promise<ImportSummary & { readonly told: readonly string[] }>;
  /** The rows of a query of the database. */
  rows(sql: string): readonly unknown[][];
}

export function importSite(): ImportSite {
  const directory = mkdtempSync(join(tmpdir(), 'writ-import-'));
  const database = join(directory, 'messages', 'messages.sqlite');
  const engine = createWriteEngine(database);
  let now = 0;

  function gateway({
    most = Number.POSITIVE_INFINITY,
    stored = Number.POSITIVE_INFINITY,
    jobs = [],
  }: Through): IngestGateway & { readonly signal: AbortSignal } {
    const stop = new AbortController();
    const ends = new Map<string, IngestEnd>();
    return {
      signal: stop.signal,
      async submit(ops) {
        now += 1;
        jobs.push(ops);
        if (ends.size >= stored) {
          ends.set(String(now), { ok: false, message: 'the disk is full' });
          return { job: String(now) };
        }
        const outcome = engine.apply([{ at: now, ops }]).outcomes[0];
        if (outcome === undefined) throw new Error('no outcome');
        ends.set(String(now), { ok: true, outcome });
        if (ends.size >= most) stop.abort();
        return { job: String(now) };
      },
      settled: async (job, signal) => (signal.aborted ? undefined : ends.get(job)),
    };
  }

  const open: ImportSite['open'] = (path, more) => openImport(path, { format: undefined, project: undefined, ...more }, READER);
  return {
    directory,
    open,
    async run(path, more, through = {}) {
      await using source = await open(path, more);
      const db = openMessagesReader(database);
      const mark = importMark(db, source.name);
      db.close();
      const told: string[] = [];
      const report = { bad: (where: string, why: string) => void told.push(`${where}: ${why}`), progress: () => undefined };
      const writer = gateway(through);
      now += 1;
      return { ...(await importMessages(source, writer, await importStart(source, mark, now), report, writer.signal)), told };
    },
    rows(sql) {
      const db = openMessagesReader(database);
      try {
        return db.prepare<[], unknown[]>(sql).raw().all();
      } finally {
        db.close();
      }
    },
    [Symbol.dispose]() {
      engine.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
