import type { Hasher } from '../tokenize/hash.ts';
import { BlockWriter } from './blocks.ts';
import { HeldBytes, sharedPrefix } from './bytes.ts';
import { INLINE_COUNT, listSeed, MAX_TRIGRAM_BYTES, SECTION } from './format.ts';
import { encodeList, type SegmentPosting } from './postings.ts';

/** Writes lists and the dictionary that leads to them. Trigrams must come in byte order, each once. */
export class DictionaryWriter {
  readonly blocks: BlockWriter;
  trigrams = 0;
  readonly #documents: number;
  readonly #seed: number;
  readonly #hasher: Hasher;
  readonly #emitList: (bytes: Uint8Array) => void;
  readonly #held = new HeldBytes();
  #listOffset = 0;
  #last: Buffer = Buffer.alloc(0);

  /**
   * @param emitList gets the lists as they come; the blocks of the dictionary are held until `finish`
   */
  constructor({ documents, generation }: { documents: number; generation: number }, hasher: Hasher, emitList: (bytes: Uint8Array) => void) {
    this.#documents = documents;
    this.#seed = listSeed(generation);
    this.#hasher = hasher;
    this.#emitList = emitList;
    const id = { section: SECTION.dictionary, indexSection: SECTION.dictionaryIndex, generation };
    this.blocks = new BlockWriter(id, hasher, (bytes) => this.#held.append(bytes));
  }

  add(posting: SegmentPosting): void {
    const { trigram, count, differences } = posting;
    if (trigram.length === 0 || trigram.length > MAX_TRIGRAM_BYTES) throw new RangeError('a trigram has 1 to 255 bytes');
    if (this.trigrams > 0 && Buffer.compare(this.#last, trigram) >= 0) throw new RangeError('trigrams must come in order');
    const { open } = this.blocks;
    const shared = this.blocks.isFresh ? 0 : sharedPrefix(this.#last, trigram, MAX_TRIGRAM_BYTES);
    if (this.blocks.isFresh) open.u64(BigInt(this.#listOffset));
    this.blocks.begin(trigram);
    open.u8(shared);
    open.u8(trigram.length - shared);
    open.bytes(trigram.subarray(shared));
    open.varint(count);
    if (count <= INLINE_COUNT) open.bytes(differences);
    else this.#addList(posting);
    this.#last = Buffer.from(trigram);
    this.trigrams += 1;
    if (this.blocks.isFull) this.blocks.flush();
  }

  /** The blocks, in order. */
  finish(): readonly Buffer[] {
    this.blocks.flush();
    return this.#held.parts();
  }

  #addList(posting: SegmentPosting): void {
    const { bytes, isBitmap } = encodeList(posting, this.#documents);
    this.blocks.open.varint(bytes.length * 2 + (isBitmap ? 1 : 0));
    this.blocks.open.u32(this.#hasher.h32(bytes, this.#seed));
    this.#emitList(bytes);
    this.#listOffset += bytes.length;
  }
}
