import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
}

/** Runs a program to its end; `env` in addition to ours, without what npm has told us about the checkout. */
export async function ran(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_nodedir)|INIT_CWD|NODE_OPTIONS|WRIT_)/i.test(name)));
  const begun = performance.now();
  const child = spawn(command, args, { cwd, env: { ...own, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: Number(code ?? -1), out, err, seconds: Math.round((performance.now() - begun) / 100) / 10 };
}
