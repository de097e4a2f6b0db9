import { writeFileSync } from 'node:fs';

/** Takes all room of a file system but what happens to be in other files already; removing the file makes it again. */
export function fillDisk(filler: string): void {
  for (let bytes = 2 ** 22, used = 0; bytes >= 4096; bytes /= 2) {
    try {
      writeFileSync(filler, Buffer.alloc(bytes), { flag: used === 0 ? 'w' : 'a' });
      used += bytes;
    } catch {
      // Too much: half of it.
    }
  }
}
