import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** What `find | sort` answered. */
export interface FindReport {
  readonly ms: number;
  /** Relative to the root, in the order of their bytes, which is the order of code points. */
  readonly paths: readonly string[];
}

const C_LOCALE = { ...process.env, LC_ALL: 'C' };

/** `find <root> -type f -name '*query*'` into `sort`, two processes from their start to the last byte of their output. */
export async function findSorted(root: string, query: string): Promise<FindReport> {
  const start = performance.now();
  const sort = spawn('sort', [], { env: C_LOCALE, stdio: ['pipe', 'pipe', 'inherit'] });
  const find = spawn('find', [root, '-type', 'f', '-name', `*${query}*`], { env: C_LOCALE, stdio: ['ignore', sort.stdin, 'inherit'] });
  // Only find holds the pipe from here on, so that sort sees its end.
  sort.stdin.destroy();
  const [output] = await Promise.all([text(sort.stdout), ended(find, 'find'), ended(sort, 'sort')]);
  const ms = performance.now() - start;
  return {
    ms,
    paths: output
      .split('\n')
      .slice(0, -1)
      .map((found) => path.relative(root, found)),
  };
}

async function ended(child: ReturnType<typeof spawn>, name: string): Promise<void> {
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}
