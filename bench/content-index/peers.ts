import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The programs of Debian's package `codesearch`; on a core of their own, as our build is, where both have to build. */
const PINNED = ['taskset', '-c', '0'] as const;

/** Builds their index of a tree. */
export async function cindex(root: string, file: string): Promise<{ readonly ms: number; readonly file: string }> {
  rmSync(file, { force: true });
  const { ms } = await run([...PINNED, 'cindex', root], { CSEARCHINDEX: file });
  return { ms, file };
}

/** One search with their index. The pattern is literal text, and so are its dots and brackets: there are none. */
export async function csearch(pattern: string, file: string): Promise<{ readonly ms: number; readonly lines: number }> {
  const { ms, output } = await run(['csearch', '-n', pattern], { CSEARCHINDEX: file });
  return { ms, lines: output.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0) };
}

export interface Built {
  readonly ms: number;
  readonly cpuMs: number;
  readonly bytes: number;
  readonly documents: number;
}

/** Builds our index of a tree in a process that does nothing else. */
export async function buildIndex(root: string, directory: string): Promise<Built> {
  rmSync(directory, { recursive: true, force: true });
  const module = fileURLToPath(new URL('./build.js', import.meta.url));
  const entry = import.meta.url.endsWith('.ts') ? ['--import', 'tsx', module.replace(/\.js$/, '.ts')] : [module];
  const { output, ms } = await run([...PINNED, process.execPath, ...entry, root, directory], {});
  return { ...(JSON.parse(output.toString()) as Omit<Built, 'ms'>), ms };
}

async function run([program = '', ...args]: readonly string[], env: Record<string, string>): Promise<{ readonly ms: number; readonly output: Buffer }> {
  const start = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env['PATH'] ?? '', ...env } });
  const failed = once(child, 'error').then(() => {
    throw new Error(`${program} is not here: apt-get install codesearch`);
  });
  const blocks: Buffer[] = [];
  child.stdout.on('data', (block: Buffer) => blocks.push(block));
  const [code] = (await Promise.race([once(child, 'close'), failed])) as [number | null];
  if (code !== 0 && code !== 1) throw new Error(`${program} ended with ${code}`);
  return { ms: performance.now() - start, output: Buffer.concat(blocks) };
}
