import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Found } from './found.ts';
import type { Wanted } from './wanted.ts';

/** How a peer is started to search a tree by itself, with its own walk and its own reading of ignore files. */
type Peer = (wanted: Sought) => readonly string[];
type Sought = Pick<Wanted, 'pattern' | 'fixedStrings'>;

/** The same rules as ours: ignore files with or without `.git`, none from above or outside, no hidden files, all files as text. */
const RG = ['--no-config', '--no-require-git', '--no-ignore-parent', '--no-ignore-global', '--color=never', '--no-heading', '-a', '-n', '-H', '-0'];
const UGREP = ['-r', '-p', '--ignore-files', '--color=never', '-a', '-n', '-H', '-0', '--sort'];

export const PEER_ARGUMENTS = {
  rg_sorted: (wanted) => [...RG, '--sort', 'path', ...what(wanted), '.'],
  rg_threads: (wanted) => [...RG, ...what(wanted), '.'],
  ugrep_sorted: (wanted) => [...UGREP, ...what(wanted), '.'],
} as const satisfies Record<string, Peer>;

function what({ pattern, fixedStrings }: Sought): readonly string[] {
  return [...(fixedStrings ? ['-F'] : []), '-e', pattern];
}

export interface PeerReport {
  /** From the start of the process to the last byte of its output, read as it comes. Nothing is made of it in this time. */
  readonly ms: number;
  readonly output: Buffer;
}

/** One search by a peer. */
export async function searchPeer(program: string, args: readonly string[], root: string): Promise<PeerReport> {
  const start = performance.now();
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: { LC_ALL: 'C.UTF-8' } });
  const blocks: Buffer[] = [];
  child.stdout.on('data', (block: Buffer) => blocks.push(block));
  const [code] = (await once(child, 'close')) as [number | null];
  const ms = performance.now() - start;
  if (code !== 0 && code !== 1) throw new Error(`${program} ended with ${code}`);
  return { ms, output: Buffer.concat(blocks) };
}

/** The lines of a peer in our order: by the bytes of the path, then by line. */
export function foundBy({ output }: PeerReport): readonly Found[] {
  const found: (Found & { readonly key: Buffer })[] = [];
  for (let at = 0; at < output.length; ) {
    const nul = output.indexOf(0, at);
    const end = output.indexOf(0x0a, nul);
    const [, line, text] = /^(\d+):(.*)$/s.exec(output.toString('utf8', nul + 1, end)) ?? [];
    if (nul < 0 || end < 0 || line === undefined || text === undefined) throw new Error('a peer printed something else than records');
    const path = output.toString('utf8', at, nul).replace(/^\.\//, '');
    found.push({ path, line: Number(line), text: text.replace(/\r$/, ''), key: Buffer.from(path) });
    at = end + 1;
  }
  return found.sort((a, b) => Buffer.compare(a.key, b.key) || a.line - b.line);
}
