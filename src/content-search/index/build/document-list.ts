import { ByteReader, ByteWriter, sharedPrefix } from '../segment/bytes.ts';
import type { SegmentDocument } from '../segment/format.ts';

/** Documents in the order in which they were added, some 60 bytes each: as objects a million of them would be half a gigabyte. */
export interface DocumentList {
  readonly length: number;
  add(document: SegmentDocument): void;
  /** All of them, once: what was given is not held any longer. */
  taken(): Generator<SegmentDocument>;
}

const PART_BYTES = 64 * 1024;

export function createDocumentList(): DocumentList {
  const parts: Buffer[] = [];
  const open = new ByteWriter(PART_BYTES + 8192);
  let last: Buffer = Buffer.alloc(0);
  let length = 0;

  return {
    get length() {
      return length;
    },
    add({ path, size, mtimeNs, ctimeNs, ino, dev, flags }) {
      const shared = sharedPrefix(last, path);
      open.varint(shared);
      open.varint(path.length - shared);
      open.bytes(path.subarray(shared));
      open.varint(size);
      for (const number of [mtimeNs, ctimeNs, ino, dev]) open.u64(number);
      open.u8(flags);
      last = path;
      length += 1;
      if (open.length < PART_BYTES) return;
      parts.push(Buffer.from(open.view()));
      open.clear();
    },
    *taken() {
      let before: Buffer = Buffer.alloc(0);
      parts.push(Buffer.from(open.view()));
      for (const [at, part] of parts.entries()) {
        parts[at] = NOTHING;
        const reader = new ByteReader(part);
        while (!reader.ended) {
          const document = nextOf(reader, before);
          before = document.path;
          yield document;
        }
      }
    },
  };
}

const NOTHING = Buffer.alloc(0);

function nextOf(reader: ByteReader, before: Buffer): SegmentDocument {
  const shared = before.subarray(0, reader.varint());
  return {
    path: Buffer.concat([shared, reader.bytes(reader.varint())]),
    size: reader.varint(),
    mtimeNs: BigInt.asIntN(64, reader.u64()),
    ctimeNs: BigInt.asIntN(64, reader.u64()),
    ino: reader.u64(),
    dev: reader.u64(),
    flags: reader.u8(),
  };
}
