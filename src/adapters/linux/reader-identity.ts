import { readlinkSync } from 'node:fs';
import type { ReaderIdentity } from '../../core/ports/index.ts';

/** Who this process is, as far as it decides what it can read: two processes for which this differs may see different trees (search-rules 27). */
export function readerIdentity(): Omit<ReaderIdentity, 'policy' | 'view'> {
  const { geteuid, getegid, getgroups } = process;
  return {
    uid: geteuid?.() ?? -1,
    gid: getegid?.() ?? -1,
    groups: [...new Set(getgroups?.() ?? [])].sort((a, b) => a - b),
    mountNamespace: mountNamespace(),
  };
}

/** `''` where there is no such thing, or it cannot be told. */
function mountNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/mnt').replace(/\D/g, '');
  } catch {
    return '';
  }
}
