import { join } from 'node:path';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { DocKind } from '../../../contracts/index.ts';
import type { MessageIndexEvent } from '../../../core/ports/index.ts';
import { createChanges } from '../../store/changes.ts';
import { beginningsOf } from './beginnings.ts';
import type { Tantivy, TantivyAnalyzer, TantivyDocument, TantivyIndex, TantivyWriter } from './binding.ts';
import {
  currentText,
  damageOf,
  newDirectory,
  type Published,
  publish,
  publishedIn,
  removeDirectory,
  segmentsIn,
  sweep,
  takeGeneration,
  workingCopy,
} from './generations.ts';
import { type Numbers, readNumbers, writeNumbers } from './numbers.ts';
import { analyzerOf, fieldOf, KEY, keyOf, NUMBER, numberOf, PART_NAMES, prefixFieldOf, registerTokenizers, SCHEMA_HASH, schemaOf } from './schema.ts';

export interface TantivyIndexer {
  /** Brings the index up to the newest change of the texts and publishes it. How many changes there were. */
  follow(): number;
  /** Makes the index anew from all rows; searches read the old one until it is complete. */
  rebuild(): void;
  close(): void;
}

interface IndexerParts {
  readonly tantivy: Tantivy;
  /** The directory of the index; made if it is missing. */
  readonly root: string;
  /** The database of messages, for reading. It stays its owner's. */
  readonly db: SqliteDatabase;
  readonly emit: (event: MessageIndexEvent) => void;
}

/** Tantivy's least, and what a hundred thousand messages need without a second segment. */
const HEAP_BYTES = 64 * 2 ** 20;
/** Changes of one commit. */
const BATCH = 5000;
/** BM25 counts deleted documents until their segment is merged: more than this share, and at least so many, and all is made anew. */
const DELETED = { share: 0.05, least: 100 };

interface Doc {
  readonly kind: DocKind;
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

const DOCUMENTS = `SELECT 'message' AS kind, id, subject AS title, body_md AS body FROM messages
  UNION ALL SELECT 'agent', id, name, task_description FROM agents
  UNION ALL SELECT 'project', id, slug, human_key FROM projects`;

/**
 * The one writer of an index. It begins where the published generation ends; without one, or with one of another schema, of
 * another database or damaged, it makes it anew at the first `follow`.
 */
export function createTantivyIndexer({ tantivy, root, db, emit }: IndexerParts): TantivyIndexer {
  const analyzer = analyzerOf(tantivy);
  const numbers = new Map<string, Numbers>();
  const changes = createChanges(db);
  let open: { readonly work: string; readonly index: TantivyIndex; readonly writer: TantivyWriter; published: Published | undefined } | undefined;

  function begin(): typeof open {
    const published = usable();
    if (published === undefined) return undefined;
    const work = workingCopy(root, published);
    sweep(root, [work, join(root, published.directory)]);
    numbers.clear();
    for (const segment of segmentsIn(work)) numbers.set(segment.id, readNumbers(work, segment));
    const index = tantivy.Index.open(work);
    registerTokenizers(tantivy, index);
    return { work, index, writer: index.writer(HEAP_BYTES, 1), published };
  }

  /** The published generation, where it can be gone on with. */
  function usable(): Published | undefined {
    const text = currentText(root);
    if (text === undefined) return undefined;
    try {
      const published = publishedIn(text);
      if (published.schema !== SCHEMA_HASH) emit({ event: 'index.schema.mismatch', expected: SCHEMA_HASH, actual: published.schema });
      const isOurs = published.schema === SCHEMA_HASH && published.database === changes.store();
      return isOurs && damageOf(root, published, new Set()) === undefined ? published : undefined;
    } catch {
      return undefined;
    }
  }

  function follow(): number {
    open ??= begin();
    if (open === undefined) {
      rebuild();
      return 0;
    }
    const started = performance.now();
    let seq = open.published?.seq ?? 0;
    const written: string[] = [];
    let largest = 0;
    for (let batch = changes.after(seq, BATCH); batch.length > 0; batch = changes.after(seq, BATCH)) {
      for (const { kind, id, title, body } of batch) {
        open.writer.deleteDocumentsByTerm(KEY, keyOf(kind, id));
        if (title !== null) open.writer.addDocument(documentOf(tantivy, analyzer, { kind, id, title, body: body ?? '' }));
        if (title !== null) written.push(keyOf(kind, id));
        largest = Math.max(largest, id);
      }
      seq = batch.at(-1)?.seq ?? seq;
      open.writer.commit();
      if (batch.length < BATCH) break;
    }
    if (seq === open.published?.seq) return 0;
    const count = seq - (open.published?.seq ?? 0);
    settle(seq, { keys: written, largest });
    emit({ event: 'index.incremental.batch', batch_size: count, duration_ms: performance.now() - started });
    if (hasTooManyDeleted(open.work)) rebuild();
    return count;
  }

  /** Publishes what was committed. */
  function settle(seq: number, { keys, largest }: { keys: readonly string[] | undefined; largest: number }): void {
    if (open === undefined) return;
    const directory = takeGeneration(root, open.work);
    const query = keys === undefined || keys.length === 0 || keys.length > MAX_KEYS ? undefined : (index: TantivyIndex) => keysQuery(index, keys);
    writeNumbers(tantivy, directory, open.work, numbers, { query, count: keys?.length ?? 0, large: numberOf('message', largest + 1).high > 0 });
    const segments = segmentsIn(directory);
    const documents = segments.reduce((sum, segment) => sum + segment.documents - segment.deleted, 0);
    const before = open.published;
    open.published = publish(root, directory, { schema: SCHEMA_HASH, database: changes.store(), seq, documents }, before);
    // One before the newest stays: somebody may have read its name and not yet opened it.
    sweep(root, [open.work, directory, ...(before === undefined ? [] : [join(root, before.directory)])]);
  }

  function keysQuery(index: TantivyIndex, keys: readonly string[]) {
    const { Query, Occur } = tantivy;
    return Query.booleanQuery(keys.map((key) => ({ occur: Occur.Should, query: Query.termQuery(index.schema, KEY, key) })));
  }

  function rebuild(): void {
    const started = performance.now();
    const work = newDirectory(root, 'w');
    const index = new tantivy.Index(schemaOf(tantivy), work);
    registerTokenizers(tantivy, index);
    const writer = index.writer(HEAP_BYTES, 1);
    // One transaction: the rows are those of this number.
    const { seq, largest } = db.transaction(() => {
      const doc_count = db.prepare<[], number>(`SELECT count(*) FROM (${DOCUMENTS})`).pluck().get() ?? 0;
      emit({ event: 'index.rebuild.start', doc_count });
      let largest = 0;
      for (const doc of db.prepare<[], Doc>(DOCUMENTS).iterate()) {
        writer.addDocument(documentOf(tantivy, analyzer, doc));
        largest = Math.max(largest, doc.id);
      }
      return { seq: changes.newest(), largest };
    })();
    writer.commit();
    writer.waitMergingThreads();
    const before = open?.published;
    close();
    numbers.clear();
    open = { work, index, writer: index.writer(HEAP_BYTES, 1), published: undefined };
    settle(seq, { keys: undefined, largest });
    sweep(root, [work, ...(before === undefined ? [] : [join(root, before.directory)]), join(root, open.published?.directory ?? '')]);
    emit({ event: 'index.rebuild.complete', doc_count: open.published?.documents ?? 0, duration_ms: performance.now() - started });
  }

  function close(): void {
    if (open === undefined) return;
    open.writer.waitMergingThreads();
    removeDirectory(open.work);
    open = undefined;
  }

  return { follow, rebuild, close };
}

/** Keys that one query asks for; more are looked for among all. */
const MAX_KEYS = 2000;

function hasTooManyDeleted(directory: string): boolean {
  const segments = segmentsIn(directory);
  const deleted = segments.reduce((sum, segment) => sum + segment.deleted, 0);
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0);
  return deleted >= DELETED.least && deleted > documents * DELETED.share;
}

function documentOf({ Document }: Tantivy, analyzer: TantivyAnalyzer, { kind, id, title, body }: Doc): TantivyDocument {
  const document = new Document();
  const { low, high } = numberOf(kind, id);
  document.addText(KEY, keyOf(kind, id));
  document.addUnsigned(NUMBER.low, low);
  document.addUnsigned(NUMBER.high, high);
  const texts = { title, body };
  for (const part of PART_NAMES) {
    document.addText(fieldOf(kind, part), texts[part]);
    document.addText(prefixFieldOf(kind, part), beginningsOf(analyzer.analyze(texts[part])));
  }
  return document;
}
