import type { Candidate } from '../../search/types.ts';
import type { SegmentDocument } from '../segment/format.ts';
import type { GramSet } from '../tokenize/trigrams.ts';
import type { ReadDocument } from './read-document.ts';
import { bytesOf } from './tree-paths.ts';

/**
 * Memory that the build thread shares with its second reader: slots, each with the paths of some files and, later, with what
 * was found there. A slot belongs to one side at a time, which its state says.
 */
export interface Slots {
  /** States, and what both sides sleep on. */
  readonly control: Int32Array;
  slot(number: number): Slot;
}

/** `free`, then `asked` by the build thread, `taken` by whoever comes first, and `done`. */
export const SLOT_STATE = { free: 0, asked: 1, taken: 2, done: 3 } as const satisfies Record<string, number>;
/** Places in `control`; the states and the turns of the slots follow. */
export const CONTROL = { quit: 0, asked: 1, states: 2 } as const satisfies Record<string, number>;
/** So many that the second reader has something to do while the build thread puts a run in order. */
export const SLOTS = 64;
export const turnAt = (slot: number): number => CONTROL.states + SLOTS + slot;

export interface Slot {
  /** False if the paths do not fit: then nobody is asked. */
  ask(candidates: readonly Candidate[]): boolean;
  asked(): readonly Buffer[];
  putRead(file: number, read: ReadDocument | 'gone'): void;
  /** What `putRead` was told, with memory of the slot; undefined if it did not fit. */
  read(file: number, path: Buffer): ReadDocument | 'gone' | undefined;
}

const SLOT_BYTES = 128 * 1024;
/** Number of files, and the end of what is in use of the lists. */
const HEAD = { files: 0, listsEnd: 1 } as const satisfies Record<string, number>;
const PATHS_AT = 16;
const RECORDS_AT = 16 * 1024;
const RECORD_BYTES = 64;
/** The most files of a slot. */
export const SLOT_FILES = 8;
const LISTS_AT = RECORDS_AT + SLOT_FILES * RECORD_BYTES;
const CONTROL_BYTES = 4096;
const WORD = 4;

const KIND = { gone: 0, document: 1, tooLarge: 2 } as const satisfies Record<string, number>;
/** The length of the wide list of a document without n-grams. */
const NONE = -1;

export const slotMemory = (): SharedArrayBuffer => new SharedArrayBuffer(CONTROL_BYTES + SLOTS * SLOT_BYTES);

/** @param k code points of an n-gram */
export function openSlots(memory: SharedArrayBuffer, k: number): Slots {
  const slots = Array.from({ length: SLOTS }, (_, number) => openSlot(memory, CONTROL_BYTES + number * SLOT_BYTES, k));
  return {
    control: new Int32Array(memory, 0, CONTROL_BYTES / WORD),
    slot(number) {
      const slot = slots[number];
      if (slot === undefined) throw new RangeError(`there is no slot ${number}`);
      return slot;
    },
  };
}

function openSlot(memory: SharedArrayBuffer, at: number, k: number): Slot {
  const head = new Int32Array(memory, at, PATHS_AT / WORD);
  const paths = Buffer.from(memory, at + PATHS_AT, RECORDS_AT - PATHS_AT);
  const words = new Int32Array(memory, at + RECORDS_AT, SLOT_FILES * 16);
  const numbers = new Float64Array(memory, at + RECORDS_AT, SLOT_FILES * 8);
  const longs = new BigInt64Array(memory, at + RECORDS_AT, SLOT_FILES * 8);
  const lists = new Uint32Array(memory, at + LISTS_AT, (SLOT_BYTES - LISTS_AT) / WORD);

  function put(file: number, kind: number, rest: readonly [number, number, number], size: number, bytes: number, ...ids: readonly bigint[]): void {
    words.set([kind, ...rest], file * 16);
    numbers.set([size, bytes], file * 8 + 2);
    longs.set(ids, file * 8 + 4);
  }

  const fields = (file: number) => ({
    size: numbers[file * 8 + 2] ?? 0,
    mtimeNs: longs[file * 8 + 4] ?? 0n,
    ctimeNs: longs[file * 8 + 5] ?? 0n,
    ino: BigInt.asUintN(64, longs[file * 8 + 6] ?? 0n),
    dev: BigInt.asUintN(64, longs[file * 8 + 7] ?? 0n),
  });

  /** Where the lists of a file begin: those of the files before lie in front of them. */
  function listsOf(file: number): number {
    let start = 0;
    for (let before = 0; before < file; before += 1) {
      if (words[before * 16] === KIND.document) start += (words[before * 16 + 2] ?? 0) + Math.max(0, words[before * 16 + 3] ?? 0);
    }
    return start;
  }

  return {
    ask(candidates) {
      let end = 0;
      for (const candidate of candidates) {
        const path = bytesOf(candidate);
        if (end + WORD + path.length > paths.length) return false;
        paths.writeUInt32LE(path.length, end);
        path.copy(paths, end + WORD);
        end += WORD + path.length;
      }
      head.set([candidates.length, 0]);
      return true;
    },
    asked() {
      let end = 0;
      return Array.from({ length: head[HEAD.files] ?? 0 }, () => {
        const start = end + WORD;
        end = start + paths.readUInt32LE(end);
        return Buffer.from(paths.subarray(start, end));
      });
    },
    putRead(file, read) {
      if (read === 'gone') return put(file, KIND.gone, [0, 0, 0], 0, 0);
      const { document, grams, bytes } = read;
      const { size, mtimeNs, ctimeNs, ino, dev, flags } = document;
      const start = head[HEAD.listsEnd] ?? 0;
      const end = start + (grams === undefined ? 0 : grams.narrow.length + grams.wide.length);
      if (end > lists.length) return put(file, KIND.tooLarge, [0, 0, 0], 0, 0);
      if (grams !== undefined) {
        lists.set(grams.narrow, start);
        lists.set(grams.wide, start + grams.narrow.length);
      }
      head[HEAD.listsEnd] = end;
      put(file, KIND.document, [flags, grams?.narrow.length ?? 0, grams?.wide.length ?? NONE], size, bytes, mtimeNs, ctimeNs, ino, dev);
    },
    read(file, path) {
      const [kind, flags = 0, narrow = 0, wide = NONE] = words.subarray(file * 16, file * 16 + 4);
      if (kind === KIND.gone) return 'gone';
      if (kind !== KIND.document) return undefined;
      const document: SegmentDocument = { path, ...fields(file), flags };
      return { document, grams: wide === NONE ? undefined : gramsAt(listsOf(file), narrow, wide), bytes: numbers[file * 8 + 3] ?? 0 };
    },
  };

  function gramsAt(start: number, narrow: number, wide: number): GramSet {
    const middle = start + narrow;
    return { k, narrow: lists.subarray(start, middle), wide: lists.subarray(middle, middle + wide) };
  }
}
