import type { Ticket } from './tasks.ts';
import type { Disk, Inode } from './twins/disk.ts';

export interface Effects {
  readonly standing: number;
  readonly most: number;
  /** Where the last of them was put, and when. */
  readonly last: { readonly directory: Inode; readonly at: number } | undefined;
  readonly originals: readonly Inode[];
}

/** How often processes of Writ's put the task's file where it was to go, without having taken it back. */
export function effectsOf({ destination, source }: Ticket, disk: Disk): Effects {
  const standing = new Set<string>();
  let most = 0;
  let count = 0;
  let last: Effects['last'];
  const originals: Inode[] = [];
  for (const { at, by, changes, inode, to, lost } of disk.log) {
    if (by === 'world' && to === source) originals.push(inode);
    if (by === 'world' || lost) continue;
    for (const { directory, name, after } of changes) {
      const key = `${directory.ino}/${name}`;
      if (after === undefined && standing.delete(key)) count -= 1;
      // A delete ends in the vault, wherever there.
      const arrived = destination === undefined ? originals.includes(inode) && directory.label.endsWith('/.writ-vault') : to === destination;
      if (after !== undefined && arrived) {
        standing.add(key);
        last = { directory, at };
        count += 1;
        most = Math.max(most, count);
      }
    }
  }
  return { standing: standing.size, most, last, originals };
}
