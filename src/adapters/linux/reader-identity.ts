import { readlinkSync } from 'node:fs';
import type { ReaderIdentity } from '../../core/ports/index.ts';
import { CAPABILITIES, effectiveCapabilities } from './capabilities.ts';

/** Who this process is, as far as it decides what it can read: two processes for which this differs may see different trees (search-rules 27). */
export function readerIdentity(): Omit<ReaderIdentity, 'policy' | 'view'> {
  const { geteuid, getegid, getgroups } = process;
  return {
    uid: geteuid?.() ?? -1,
    gid: getegid?.() ?? -1,
    groups: [...new Set(getgroups?.() ?? [])].sort((a, b) => a - b),
    readsAll: readsAll(),
    userNamespace: namespace('user'),
    mountNamespace: namespace('mnt'),
  };
}

/** `''` where there is no such thing, or it cannot be told. */
function namespace(kind: 'user' | 'mnt'): string {
  try {
    return readlinkSync(`/proc/self/ns/${kind}`).replace(/\D/g, '');
  } catch {
    return '';
  }
}

/** Either reads files in spite of their permissions. */
const READ_ALL = CAPABILITIES.dacOverride | CAPABILITIES.dacReadSearch;

function readsAll(): boolean | null {
  const effective = effectiveCapabilities();
  return effective === undefined ? null : (effective & READ_ALL) !== 0n;
}
