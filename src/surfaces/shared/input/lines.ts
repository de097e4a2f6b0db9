import { type Feeder, itemOf, MAX_ITEM_BYTES, NEWLINE, type RawItem, tooLarge } from './raw-item.ts';

/** NDJSON: one item per line. A line that is too long is dropped as it comes in, so that it never fills memory. */
export function createLineFeeder(firstLine = 1): Feeder {
  let line = firstLine;
  let parts: Uint8Array[] = [];
  let size = 0;

  const keep = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > MAX_ITEM_BYTES) parts = [];
    else if (bytes.length > 0) parts.push(bytes);
  };
  const finish = (): RawItem | undefined => {
    const item = size > MAX_ITEM_BYTES ? tooLarge(line) : itemOf(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), line);
    parts = [];
    size = 0;
    line += 1;
    return item;
  };

  return {
    push(bytes) {
      const items: RawItem[] = [];
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        keep(bytes.subarray(from, at));
        from = at + 1;
        const item = finish();
        if (item) items.push(item);
      }
      keep(bytes.subarray(from));
      return items;
    },
    end() {
      const item = finish();
      return item ? [item] : [];
    },
  };
}
