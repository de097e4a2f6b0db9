import { readFileSync } from 'node:fs';

/** How many descriptors this process may have open (proc_pid_limits(5), the soft limit, which Node raises to the hard one); undefined where that cannot be read. */
export function descriptorLimit(): number | undefined {
  try {
    return parseDescriptorLimit(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    return undefined;
  }
}

export function parseDescriptorLimit(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}
