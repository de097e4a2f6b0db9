/** A bit for each document of a segment. */
export type Bitmap = Uint8Array;

export const bitmapFor = (documents: number): Bitmap => new Uint8Array(Math.ceil(documents / 8));

export const hasBit = (bitmap: Bitmap, id: number): boolean => ((bitmap[id >> 3] ?? 0) & (1 << (id & 7))) !== 0;

export function setBit(bitmap: Bitmap, id: number): void {
  bitmap[id >> 3] = (bitmap[id >> 3] ?? 0) | (1 << (id & 7));
}

export function countBits(bitmap: Bitmap): number {
  let count = 0;
  for (const byte of bitmap) for (let bits = byte; bits !== 0; bits &= bits - 1) count += 1;
  return count;
}
