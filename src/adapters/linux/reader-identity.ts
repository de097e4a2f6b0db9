import { readFileSync, readlinkSync } from 'node:fs';
import type { ReaderIdentity } from '../../core/ports/index.ts';

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

/** CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of capabilities(7): either reads files in spite of their permissions. */
const READ_ALL = 0b110n;

function readsAll(): boolean | null {
  try {
    const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
    return effective === undefined ? null : (BigInt(`0x${effective}`) & READ_ALL) !== 0n;
  } catch {
    return null;
  }
}
