import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of the benchmark: started once, so that it is as warm as one that has served for a while. */
export interface Running {
  /** Sends a message and resolves with the next one that comes back. */
  ask<T>(message: object): Promise<T>;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a module and waits for its first message. Options of the caller, like `--cpu-prof`, hold for it too.
 *
 * @param module its compiled file; from the sources (with a TypeScript loader) its source is run
 */
export async function startProcess(module: URL, args: readonly string[]): Promise<Running> {
  const file = fileURLToPath(module);
  const child = fork(import.meta.url.endsWith('.ts') ? file.replace(/\.js$/, '.ts') : file, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const next = async (): Promise<unknown> => {
    const over = new AbortController();
    try {
      const [message] = (await Promise.race([once(child, 'message', over), ended(child, over.signal)])) as [unknown];
      return message;
    } finally {
      over.abort();
    }
  };
  const first = await next();
  if (typeof first === 'object' && first !== null && 'type' in first && first.type === 'refused') throw new Error(JSON.stringify(first));
  return {
    pid: child.pid ?? 0,
    async ask<T>(message: object) {
      const answer = next();
      child.send(message);
      return (await answer) as T;
    },
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

async function ended(child: ChildProcess, signal: AbortSignal): Promise<never> {
  const [code, by] = (await once(child, 'exit', { signal })) as (number | string | null)[];
  throw new Error(`a process of the benchmark ended with ${code ?? by}`);
}
