import { rmSync } from 'node:fs';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { DOC_KINDS, type DocKind } from '../../../contracts/index.ts';
import { type Embedder, embeddedText } from '../../../core/ports/embedder.ts';
import type { DocumentChange } from '../../../core/ports/message-changes.ts';
import { createChanges } from '../../store/changes.ts';
import { readVectorFile, writeVectorFile } from './file.ts';
import { halvesOf, isFinite16 } from './half.ts';
import { type Fresh, openVectorState, type SetState, stateQueries, vectorFile } from './state.ts';
import { stateWrites } from './state-write.ts';
import { documentCount, textChanges } from './text-changes.ts';
import { createVectorIndex } from './vector-index.ts';

/** Rows beside a file that are worth a new one: this many, and this share of what the file has. */
const FOLD_LEAST = 4096;
const FOLD_SHARE = 0.25;
/** Numbers of other kinds' changes that are looked at again and again, before it is written down that there is nothing. */
const MAX_IDLE = 1000;

/** What one step did. */
export interface VectorStep {
  /** Documents whose vectors were made or removed; 0: there was nothing to do. */
  readonly documents: number;
  readonly durationMs: number;
  /** Where this step began a kind anew: how many documents that is about. */
  readonly began: number | null;
  /** Whether everything of a kind is there since this step, and was not before. */
  readonly finished: boolean;
}

/** Makes vectors of the texts that changed, in files (amvi-layout.ts) and a database beside them. What a crash cut off is done again. */
export interface VectorMaker {
  /** At most `most` documents. Throws what the embedder or the disk throws; then nothing of the step was done. */
  step(most: number): Promise<VectorStep>;
  close(): void;
}

/** @param messages the database of messages, open for reading; it stays its owner's */
export function createVectorMaker(directory: string, embedder: Embedder, messages: () => SqliteDatabase): VectorMaker {
  const db = openVectorState(directory);
  const { find, fresh } = stateQueries(db);
  const write = stateWrites(db);
  const about = { embedder: embedder.id, dimension: embedder.dimension };
  const looked = new Set<DocKind>();

  /** The set of a kind: of these messages, with a file that can be read; else it begins anew. */
  function setOf(kind: DocKind): { readonly state: SetState; readonly isNew: boolean } {
    const source = createChanges(messages()).store();
    const known = find(kind, embedder.id);
    if (known?.source === source && (looked.has(kind) || known.in_file === 0 || isSound(kind))) {
      looked.add(kind);
      return { state: known, isNew: false };
    }
    write.begin(kind, embedder.id, source);
    return { state: find(kind, embedder.id) as SetState, isNew: true };
  }

  /** Files change only here; what happened to one while nobody was here is found by the first look. */
  function isSound(kind: DocKind): boolean {
    return !('refused' in readVectorFile(vectorFile(directory, kind, embedder.id), about));
  }

  async function stepOf(kind: DocKind, most: number): Promise<VectorStep | undefined> {
    const start = performance.now();
    const { state, isNew } = setOf(kind);
    const { head, changes } = textChanges(messages(), kind, state.done_seq, most);
    if (changes.length === 0 && state.whole === 1) {
      if (head - state.done_seq > MAX_IDLE) write.idle(kind, embedder.id, head);
      return undefined;
    }
    const rows = await vectorsOf(changes);
    const isLast = changes.length < most;
    write.rows(kind, embedder.id, rows, { done: isLast ? head : (changes.at(-1)?.seq ?? head), whole: state.whole === 1 || isLast });
    const finished = isLast && state.whole === 0;
    if (finished || write.freshCount(kind, embedder.id) >= Math.max(FOLD_LEAST, state.in_file * FOLD_SHARE)) await fold(kind);
    if (finished) for (const other of write.dropOthers(kind, embedder.id)) rmSync(vectorFile(directory, kind, other), { force: true });
    return { documents: changes.length, durationMs: performance.now() - start, began: isNew ? documentCount(messages(), kind) : null, finished };
  }

  async function vectorsOf(changes: readonly DocumentChange[]): Promise<Fresh[]> {
    const there = changes.flatMap(({ id, title, body }) => (title === null || body === null ? [] : [{ id, text: embeddedText(title, body) }]));
    const vectors = there.length === 0 ? [] : await embedder.embed(there.map(({ text }) => text));
    const made = new Map(there.map(({ id }, index) => [id, halves(vectors[index])]));
    return changes.map(({ id }) => ({ id, halves: made.get(id) ?? null }));
  }

  function halves(vector: Float32Array | undefined): Uint16Array {
    const found = vector === undefined ? new Uint16Array() : halvesOf(vector);
    if (found.length !== embedder.dimension || !found.every(isFinite16)) throw new Error(`the embedder ${embedder.id} made something that is no vector`);
    return found;
  }

  /** Everything into one new file. A crash before its rows are removed leaves them in both, which is the same. */
  async function fold(kind: DocKind): Promise<void> {
    const state = find(kind, embedder.id);
    if (state === undefined) return;
    const file = vectorFile(directory, kind, embedder.id);
    const index = createVectorIndex(embedder.dimension);
    if (state.in_file > 0) {
      const base = readVectorFile(file, about);
      if ('refused' in base) {
        looked.delete(kind);
        throw new Error(`the file of vectors cannot be read, and is made anew: ${base.refused}`);
      }
      index.load(base);
    }
    for (const { id, halves } of fresh(kind, embedder.id, -1)) halves === null ? index.remove(id) : index.set(id, halves);
    if (index.size > 0) await writeVectorFile(file, index.vectors(), about);
    write.folded(kind, embedder.id, index.size);
    if (index.size === 0) rmSync(file, { force: true });
  }

  return {
    async step(most) {
      for (const kind of DOC_KINDS) {
        const done = await stepOf(kind, most);
        if (done !== undefined) return done;
      }
      return { documents: 0, durationMs: 0, began: null, finished: false };
    },
    close: () => void db.close(),
  };
}
