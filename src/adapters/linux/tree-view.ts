import { statSync } from 'node:fs';
import { mountsConcerning } from './mounts.ts';

/**
 * What this process sees at `root`, as text: two processes for which it is equal and not empty see the same tree there, though
 * their mounts differ elsewhere, as those of two containers do. It names the directory itself (device and inode), which holds
 * the same files through whatever mount it is reached. Empty where that is not all: a mount beneath it hides a part, a mapped
 * mount changes owners, or it cannot be told.
 */
export function treeView(root: string): string {
  try {
    const { lines, beneath } = mountsConcerning(root);
    if (beneath.length > 0 || lines.split('\n').some(isMapped)) return '';
    const { dev, ino } = statSync(root, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return '';
  }
}

/** Options of a mount in proc_pid_mountinfo(5): one that shows other owners than its files have. */
function isMapped(line: string): boolean {
  return (line.split(' ')[5] ?? '').split(',').includes('idmapped');
}
