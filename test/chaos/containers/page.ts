import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The blocks under "With Docker" in docs/monitoring.md of a checkout: to start everything, and for a first task. */
export function blocksOf(directory: string): { readonly start: string; readonly firstTask: string } {
  const [, rest = ''] = readFileSync(path.join(directory, 'docs/monitoring.md'), 'utf8').split('## With Docker\n');
  const [section = ''] = rest.split('\n## ');
  const [start, firstTask] = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  if (start === undefined || firstTask === undefined) throw new Error('docs/monitoring.md has no two blocks under "With Docker"');
  return { start, firstTask };
}

/** The key that the block has made: bash tells what it does. */
export function keyIn(err: string): string {
  const [, key] = /^\+ key=(\S+)$/m.exec(err) ?? [];
  if (key === undefined) throw new Error(`no key was made: ${err.slice(-3000)}`);
  return key;
}
