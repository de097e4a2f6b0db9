import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Who listens on a TCP port of this host, as far as /proc shows it to this user. */
export interface PortHolder {
  readonly uid: number;
  /** Unknown for a process of another user, or in another pid namespace. */
  readonly process: { readonly pid: number; readonly name: string } | undefined;
}

/** `st` of a listening socket. */
const LISTEN = '0A';

interface Listener {
  readonly uid: number;
  readonly inode: string;
}

/** Looks in the network namespace of this process; `undefined` when nobody listens on the port (any longer). */
export function portHolder(port: number): PortHolder | undefined {
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const found = listenersOf(textOf(file), port)[0];
    if (found !== undefined) return { uid: found.uid, process: processWith(`socket:[${found.inode}]`) };
  }
  return undefined;
}

/** The listeners on a port in a table of proc_net_tcp(5): address and port in hexadecimal, then state, uid and inode. */
export function listenersOf(table: string, port: number): Listener[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
    return state === LISTEN && local.endsWith(`:${wanted}`) && /^\d+$/.test(inode) ? [{ uid: Number(uid), inode }] : [];
  });
}

function processWith(socket: string): PortHolder['process'] {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (holds(pid, socket)) return { pid: Number(pid), name: textOf(`/proc/${pid}/comm`).trim() };
  }
  return undefined;
}

function holds(pid: string, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === socket);
  } catch {
    return false;
  }
}

/** A process and its descriptors may go while we look. */
function linkOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
