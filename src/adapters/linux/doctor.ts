import { randomUUID } from 'node:crypto';
import { closeSync, readFileSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { broken, type Check, examine, type Finding, type Probe, passed, warning } from '../../core/findings.ts';
import { bytes } from '../../core/units.ts';
import { isThere } from '../files/is-there.ts';
import { codeOf } from '../files/small-file.ts';
import { hasOpenat2 } from './confined-fs/openat2.ts';
import { libc, RENAME_NOREPLACE } from './libc.ts';
import { processLibc } from './libc-process.ts';

const AT_FDCWD = -100;
const ENOSPC_SOON = 1024 ** 3;
const MEMORY_LOW = 512 * 1024 ** 2;
const UNWRITABLE =
  'run this as the account that Writ runs as, on a file system that is mounted for writing; or name another data directory with WRIT_DATA_DIR or --data-dir';
const LINUX_ONLY = 'worker roles need Linux; on other systems only the client commands work';

/** What this machine and its kernel can do. */
export function examineHost(dataDir: string): Promise<Check[]> {
  const linux: Probe[] = [
    { title: 'openat2', look: openat2, todo: LINUX_ONLY },
    { title: 'renameat2', look: () => renameat2(dataDir), todo: LINUX_ONLY },
    { title: 'pidfd', look: pidfd, todo: LINUX_ONLY },
    { title: 'inotify', look: inotify, todo: LINUX_ONLY },
  ];
  return examine('Host', [
    { title: 'Node.js', look: node, todo: 'install Node.js 20.19 or newer' },
    { title: 'platform', look: platform, todo: LINUX_ONLY },
    ...(process.platform === 'linux' ? linux : []),
    { title: 'memory', look: memory, todo: '' },
    { title: 'disk of the data directory', look: () => disk(dataDir), todo: 'look at the disk' },
  ]);
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19) ? passed(process.versions.node) : broken(process.versions.node, 'install Node.js 20.19 or newer');
}

function platform(): Finding {
  const found = `${process.platform} ${process.arch}, ${os.release()}`;
  return process.platform === 'linux' ? passed(found) : warning(found, LINUX_ONLY);
}

function openat2(): Finding {
  return hasOpenat2(libc())
    ? passed('the kernel keeps paths inside their base directory')
    : warning('not available here', 'nothing: paths are resolved component by component instead, which is slower');
}

/** A rename in the data directory itself: whether a file system can do it only shows on a file of its own. */
async function renameat2(dataDir: string): Promise<Finding> {
  if (!isThere(dataDir)) return warning('not looked at: there is no data directory yet', 'run `writ init`');
  const from = path.join(dataDir, `.writ-doctor-${randomUUID()}`);
  const refused = unwritten(from);
  if (refused !== undefined) return broken(`not looked at: nothing can be written in ${dataDir} (${refused})`, UNWRITABLE);
  const to = `${from}-renamed`;
  const answer = await libc().renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
  unlinkSync(answer < 0 ? from : to);
  return answer < 0
    ? warning(`refused (errno ${-answer})`, 'nothing: files with one link are moved by link and unlink instead')
    : passed('a rename that never replaces works');
}

/** Why a probe file cannot be made; a read-only file system and a foreign directory say nothing about the kernel. */
function unwritten(file: string): string | undefined {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

function pidfd(): Finding {
  const fd = processLibc().pidfdOpen(process.pid);
  if (fd < 0)
    return warning(`refused (errno ${-fd})`, 'use a kernel from 5.3 on: without it a worker that hangs is not ended for its successor, its tasks wait');
  closeSync(fd);
  return passed('a stuck worker can be ended exactly');
}

function inotify(): Finding {
  const limit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
  return passed(`${limit} watches`);
}

function memory(): Finding {
  const found = `${bytes(os.freemem())} free of ${bytes(os.totalmem())}`;
  return os.freemem() < MEMORY_LOW ? warning(found, 'free some memory, or lower redis.max_memory_mb and worker.file_concurrency') : passed(found);
}

function disk(dataDir: string): Finding {
  let directory = dataDir;
  while (!isThere(directory)) directory = path.dirname(directory);
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  return free < ENOSPC_SOON ? warning(`${bytes(free)} free`, 'make room: journal and queue need to write') : passed(`${bytes(free)} free`);
}
