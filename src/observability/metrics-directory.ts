import { lstat, readdir, unlink } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { type MetricRole, ROLE_NAMES } from './labels.ts';

const SOCKET_NAME = new RegExp(`^(${ROLE_NAMES.join('|')})-([A-Za-z0-9]{1,64})\\.sock$`);
/** A younger socket may belong to a process that binds it at this moment. */
const STALE_AFTER_MS = 10_000;
/** A kernel takes or refuses a connection at once, whatever the process behind it does. */
const CONNECT_MS = 500;
/** Sockets that are looked at together. */
const TOGETHER = 32;

/** A process that shows its metrics in a directory. */
export interface MetricsSource {
  readonly role: MetricRole;
  readonly instance: string;
  readonly path: string;
}

/** The sockets of a directory, dead ones included, in the order of their names. */
export async function metricsSources(directory: string): Promise<readonly MetricsSource[]> {
  const names = await readdir(directory).catch(() => []);
  return names.sort().flatMap((name) => {
    const [, role, instance] = SOCKET_NAME.exec(name) ?? [];
    return role === undefined || instance === undefined ? [] : [{ role: role as MetricRole, instance, path: path.join(directory, name) }];
  });
}

/** Removes sockets that nobody listens on, once they are old enough to be sure. Never rejects. Nobody who is in a hurry waits for it. */
export async function removeDead(directory: string): Promise<void> {
  const sources = await metricsSources(directory);
  for (let at = 0; at < sources.length; at += TOGETHER) await Promise.all(sources.slice(at, at + TOGETHER).map((source) => removeIfDead(source.path)));
}

async function removeIfDead(socket: string): Promise<void> {
  const entry = await lstat(socket).catch(() => undefined);
  if (entry?.isSocket() && Date.now() - entry.mtimeMs > STALE_AFTER_MS && (await refuses(socket))) await unlink(socket).catch(() => undefined);
}

function refuses(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect({ path: socket, timeout: CONNECT_MS });
    const end = (dead: boolean): void => {
      connection.destroy();
      resolve(dead);
    };
    connection.once('connect', () => end(false));
    connection.once('timeout', () => end(false));
    connection.once('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED'));
  });
}
