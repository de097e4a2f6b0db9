import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import net from 'node:net';

/** Tries what its arguments name, and tells its parent how each try ended. */
const [landlock, inside = '', outside = '', link = '', port] = process.argv.slice(2);
const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : String(error));
const tried = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return codeOf(error);
  }
};
const connected = (): Promise<unknown> =>
  new Promise((resolve) => {
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.once('connect', () => resolve('connected')).once('error', (error) => resolve(codeOf(error)));
  });

process.send?.({
  landlock: Number(landlock),
  pid: process.pid,
  inside: tried(() => readFileSync(inside, 'utf8')),
  outside: tried(() => readFileSync(outside, 'utf8')),
  throughLink: tried(() => readFileSync(link, 'utf8')),
  inPool: await readFile(outside, 'utf8').catch(codeOf),
  write: tried(() => writeFileSync(`${inside}.new`, 'x')),
  change: tried(() => writeFileSync(inside, 'x')),
  byChild: spawnSync('cat', [outside], { encoding: 'utf8' }).stdout,
  childInside: spawnSync('cat', [inside], { encoding: 'utf8' }).stdout,
  signal: tried(() => process.kill(process.ppid, 'SIGWINCH')),
  connect: await connected(),
});
process.disconnect();
