import type { Disk } from './twins/disk.ts';

/** A file that a process of Writ's put at its path, and when one took it from there again; virtual milliseconds. */
export interface Landing {
  readonly at: number;
  readonly goneAt: number | undefined;
}

/** How often processes of Writ's put these bytes at the path, and until when they left them there. */
export function landingsOf(disk: Disk, path: string, content: string): readonly Landing[] {
  const all: { readonly at: number; goneAt: number | undefined }[] = [];
  const standing = new Map<string, (typeof all)[number]>();
  for (const { at, by, changes, inode, to, lost } of disk.log) {
    if (by === 'world' || lost) continue;
    for (const { directory, name, after } of changes) {
      const key = `${directory.ino}/${name}`;
      const gone = after === undefined ? standing.get(key) : undefined;
      if (gone !== undefined && standing.delete(key)) gone.goneAt = at;
      if (after === undefined || to !== path || inode.data !== content) continue;
      const landing = { at, goneAt: undefined };
      standing.set(key, landing);
      all.push(landing);
    }
  }
  return all;
}

/** Whether it had landed and was there still. */
export function stoodAt({ at, goneAt }: Landing, moment: number): boolean {
  return at <= moment && (goneAt === undefined || goneAt > moment);
}
