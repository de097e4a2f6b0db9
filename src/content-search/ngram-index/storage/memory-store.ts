import { compareCodePoints } from '../../../core/code-points.ts';
import type {
  BuildCheckpoint,
  ContentIndexStore,
  DirtyEntry,
  EligibilityInput,
  IndexMeta,
  IndexRecordChanges,
  IndexSafety,
  RecordsAnswer,
} from '../../../core/ports/index.ts';

interface Held {
  readonly meta: IndexMeta;
  readonly safety: IndexSafety;
  readonly checkpoint: BuildCheckpoint | undefined;
  readonly inputs: readonly EligibilityInput[];
  /** By path. */
  readonly dirty: ReadonlyMap<string, DirtyEntry>;
}

/**
 * Records of indexes in this process alone: `index_storage=memory`, and the twin of the SQLite store in tests. Values are
 * replaced, never changed, so that a transaction that fails just keeps the old ones.
 */
export function createMemoryContentIndex(): ContentIndexStore {
  let standing: ReadonlyMap<string, Held> = new Map();
  let isClosed = false;
  const closed = { ok: false, refusal: 'UNAVAILABLE', message: 'the records are closed' } as const;
  return {
    read: (work) => (isClosed ? closed : { ok: true, value: work(recordsOn(new Map(standing))) }),
    write<T>(work: (records: IndexRecordChanges) => T): RecordsAnswer<T> {
      if (isClosed) return closed;
      const next = new Map(standing);
      const value = work(recordsOn(next));
      standing = next;
      return { ok: true, value };
    },
    close() {
      isClosed = true;
    },
  };
}

function recordsOn(indexes: Map<string, Held>): IndexRecordChanges {
  const change = (keyHash: string, changes: (held: Held) => Partial<Held>): void => {
    const held = indexes.get(keyHash);
    if (held !== undefined) indexes.set(keyHash, { ...held, ...changes(held) });
  };
  const changeDirty = (keyHash: string, changes: (dirty: Map<string, DirtyEntry>) => void): void =>
    change(keyHash, (held) => {
      const dirty = new Map(held.dirty);
      changes(dirty);
      return { dirty };
    });

  return {
    list: () => [...indexes.values()].map(({ meta }) => meta).sort((a, b) => compareCodePoints(a.keyHash, b.keyHash)),
    meta: (keyHash) => indexes.get(keyHash)?.meta,
    safety: (keyHash) => indexes.get(keyHash)?.safety,
    checkpoint: (keyHash) => indexes.get(keyHash)?.checkpoint,
    inputs: (keyHash) => indexes.get(keyHash)?.inputs ?? [],
    dirty: (keyHash, limit) => [...(indexes.get(keyHash)?.dirty.values() ?? [])].sort(inTurn).slice(0, limit),
    dirtyCount: (keyHash) => indexes.get(keyHash)?.dirty.size ?? 0,
    create: (meta, safety) => void indexes.set(meta.keyHash, { meta, safety, checkpoint: undefined, inputs: [], dirty: new Map() }),
    update: (keyHash, { sizeBytes, generation, enumerateErrors }, nowMs) =>
      change(keyHash, ({ meta }) => ({
        meta: {
          ...meta,
          updatedAtMs: nowMs,
          sizeBytes: sizeBytes ?? meta.sizeBytes,
          generation: generation === undefined ? meta.generation : generation,
          enumerateErrors: enumerateErrors ?? meta.enumerateErrors,
        },
      })),
    touch: (keyHash, nowMs) => change(keyHash, ({ meta }) => ({ meta: { ...meta, accessedAtMs: Math.max(meta.accessedAtMs, nowMs) } })),
    setSafety: (keyHash, safety, nowMs) => change(keyHash, ({ meta }) => ({ safety, meta: { ...meta, updatedAtMs: nowMs } })),
    setCheckpoint: (keyHash, checkpoint) => change(keyHash, () => ({ checkpoint: checkpoint ?? undefined })),
    setInputs: (keyHash, inputs) => change(keyHash, () => ({ inputs: byName(inputs) })),
    enqueue: (keyHash, entries) =>
      changeDirty(keyHash, (dirty) => {
        for (const entry of entries) dirty.set(nameOf(entry.path), merged(dirty.get(nameOf(entry.path)), entry));
      }),
    dequeue: (keyHash, entries) =>
      changeDirty(keyHash, (dirty) => {
        for (const { path, seq } of entries) {
          if ((dirty.get(nameOf(path))?.seq ?? Number.POSITIVE_INFINITY) <= seq) dirty.delete(nameOf(path));
        }
      }),
    clearDirty: (keyHash, throughSeq = Number.POSITIVE_INFINITY) =>
      change(keyHash, ({ dirty }) => ({ dirty: new Map([...dirty].filter(([, { seq }]) => seq > throughSeq)) })),
    remove: (keyHash) => void indexes.delete(keyHash),
  };
}

/** Bytes as a text of as many characters: a map compares texts. */
function nameOf(path: Uint8Array): string {
  return Buffer.from(path).toString('latin1');
}

function merged(queued: DirtyEntry | undefined, entry: DirtyEntry): DirtyEntry {
  if (queued === undefined) return { ...entry, path: Uint8Array.from(entry.path), orderKey: Uint8Array.from(entry.orderKey) };
  return {
    ...queued,
    kind: queued.kind === 'SUBTREE' || entry.kind === 'SUBTREE' ? 'SUBTREE' : 'FILE',
    queuedAtMs: Math.min(queued.queuedAtMs, entry.queuedAtMs),
    seq: Math.max(queued.seq, entry.seq),
  };
}

/** FR-LSI-TRK-10. */
function inTurn(a: DirtyEntry, b: DirtyEntry): number {
  return a.queuedAtMs - b.queuedAtMs || Buffer.compare(a.orderKey, b.orderKey) || Buffer.compare(a.path, b.path);
}

function byName(inputs: readonly EligibilityInput[]): EligibilityInput[] {
  return [...new Map(inputs.map((input) => [input.name, input])).values()].sort((a, b) => compareCodePoints(a.name, b.name));
}
