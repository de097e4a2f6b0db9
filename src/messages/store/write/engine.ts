import { assertAtPath } from '../../../adapters/sqlite/opened-file.ts';
import type { IngestOp, IngestOutcome } from '../../../contracts/index.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { CommitNews, IngestBatch, RebuildNews } from '../../../core/ports/index.ts';
import { rotateCursorKeys } from '../cursor-keys.ts';
import { DATABASE, openMessagesWriter } from '../open.ts';
import { fillFullText } from './full-text.ts';
import { createImportWriter } from './imports.ts';
import { createMessageWriter } from './message.ts';
import { mendSequence } from './message-ids.ts';
import { createNames } from './names.ts';
import type { Done, OpKind, OpOf } from './parts.ts';
import { createPeopleWriter } from './people.ts';
import { createPlaceWriter } from './places.ts';
import { rebuildFullText } from './rebuild.ts';
import { createStamps } from './stamps.ts';
import { createWordList } from './word-list.ts';

export interface Applied {
  readonly outcomes: readonly IngestOutcome[];
  readonly news: CommitNews;
}

/** The writer itself, in the thread that it may block. */
export interface WriteEngine {
  /** All batches in one transaction. @throws WritError STORAGE_UNAVAILABLE; then none was done where it would last. */
  apply(batches: readonly IngestBatch[]): Applied;
  /** One step of what a store of before still lacks. @returns whether it is whole @throws WritError STORAGE_UNAVAILABLE */
  advance(): boolean;
  close(): void;
}

const MAX_REFUSALS = 100;
/** Texts whose words are noted in one transaction; a batch has fewer. */
const MAX_NOTED = 2000;
const STEP_NOTED = 500;

/** @param onRebuild told before a rebuild begins, how many rows it is about */
export function createWriteEngine(file: string, onRebuild: (documents: number) => void = () => undefined): WriteEngine {
  const db = openMessagesWriter(file);
  const assertInPlace = assertAtPath(file, DATABASE);
  mendSequence(db);
  rotateCursorKeys(db, Date.now() * 1000);
  const parts = { db, names: createNames(db), stamps: createStamps(db, Date.now() * 1000) };
  const words = createWordList(db);
  const messages = createMessageWriter(parts);
  const people = createPeopleWriter(parts);
  const places = createPlaceWriter(parts);
  const imports = createImportWriter(db, messages.remove);
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  const raise = db.prepare(`UPDATE meta SET value = value + 1 WHERE key = 'data_version'`);
  let rebuilt: RebuildNews | undefined;

  const DO = {
    message: messages.put,
    delete: messages.remove,
    project: places.project,
    product: places.product,
    link: places.link,
    unlink: places.link,
    agent: people.agent,
    contact: people.contact,
    mark: imports.mark,
    told: imports.told,
    untold: imports.untold,
    rebuild() {
      rebuilt = rebuildFullText(db, onRebuild);
      return { what: rebuilt.renumbered > 0 ? 'updated' : 'unchanged', documents: rebuilt.documents };
    },
  } satisfies { readonly [K in OpKind]: (op: OpOf<K>, at: number) => Done };

  // The table pairs each kind with what does it; one lookup cannot say so to the compiler.
  const run = (op: IngestOp, at: number): Done => (DO[op.op] as (op: IngestOp, at: number) => Done)(op, at);

  const together = db.transaction((batches: readonly IngestBatch[]) => {
    const before = changes.get();
    const done = batches.map(({ ops, at }) => ops.map((op) => run(op, at)));
    if (changes.get() === before) return done;
    raise.run();
    words.follow(MAX_NOTED);
    return done;
  });
  const noteMore = db.transaction(() => words.follow(STEP_NOTED));

  return {
    apply(batches) {
      const start = performance.now();
      rebuilt = undefined;
      try {
        assertInPlace();
        const done = together.immediate(batches);
        // What was committed into a file that is nowhere is not answered as stored.
        assertInPlace();
        const documents = done.flat().reduce((sum, one) => sum + ('documents' in one ? (one.documents ?? 0) : 0), 0);
        return { outcomes: done.map(outcomeOf), news: { documents, durationMs: performance.now() - start, rebuild: rebuilt } };
      } catch (error) {
        parts.names.forget();
        words.forget();
        throw new WritError('STORAGE_UNAVAILABLE', `the messages could not be written: ${messageOf(error)}`, { cause: error });
      }
    },
    advance() {
      try {
        return fillFullText(db) && noteMore.immediate();
      } catch (error) {
        words.forget();
        throw new WritError('STORAGE_UNAVAILABLE', `the full text could not be made: ${messageOf(error)}`, { cause: error });
      }
    },
    close: () => db.close(),
  };
}

function outcomeOf(done: readonly Done[]): IngestOutcome {
  const counts = { inserted: 0, updated: 0, deleted: 0, unchanged: 0, refused: 0 };
  const ids: number[] = [];
  const refusals: string[] = [];
  for (const one of done) {
    if (one.what === 'noted') continue;
    counts[one.what] += 'times' in one ? (one.times ?? 1) : 1;
    if (one.what !== 'refused' && one.id !== undefined) ids.push(one.id);
    if (one.what === 'refused' && refusals.length < MAX_REFUSALS) refusals.push(one.why);
  }
  return { counts, ids, refusals };
}
