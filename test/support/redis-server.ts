import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A redis-server as an administrator sets one up: from lines of configuration, on ports. */
export interface RedisServer extends AsyncDisposable {
  readonly directory: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** Resolves when it takes connections; rejects with what it said when it ends first. */
export async function startRedisServer(lines: readonly string[]): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'writ-redis-server-'));
  writeFileSync(join(directory, 'redis.conf'), [`dir ${directory}`, 'save ""', 'maxmemory-policy noeviction', ...lines, ''].join('\n'), { mode: 0o600 });
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'redis-server', join(directory, 'redis.conf')], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`redis-server ended: ${said}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Ready to accept connections')) resolve();
    });
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(directory, { recursive: true, force: true });
  };
  return { directory, pid: child.pid ?? 0, stop, [Symbol.asyncDispose]: stop };
}
