/** Finds which file a record of the output is about. */
export interface FileNames {
  /** Index of the file whose printed name lies in these bytes; -1 if there is none. */
  find(data: Buffer, from: number, to: number): number;
}

/**
 * Most records are about the file of the one before, and most others about one a little further on: so the bytes are
 * compared first, then the names behind, and only an output out of order needs a table of all.
 */
export function fileNames(count: number, printed: (index: number) => string): FileNames {
  let current = -1;
  let bytes: Buffer = Buffer.alloc(0);
  let table: Map<string, number> | undefined;

  const lookUp = (name: string): number => {
    for (let index = current + 1; index < count; index += 1) if (printed(index) === name) return index;
    table ??= new Map(Array.from({ length: count }, (_, index) => [printed(index), index]));
    return table.get(name) ?? -1;
  };

  return {
    find(data, from, to) {
      if (current >= 0 && bytes.length === to - from && bytes.compare(data, from, to) === 0) return current;
      const index = lookUp(data.toString('utf8', from, to));
      if (index < 0) return -1;
      current = index;
      bytes = Buffer.from(data.subarray(from, to));
      return index;
    },
  };
}
