import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { DEFAULT_DENIED_PATTERNS } from '../../../src/content-search/search/sandbox.ts';
import { createContentSearch } from '../../../src/content-search/search/search.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { patientLinks } from '../../support/content/index-links.ts';
import { depsOf, realBackends } from '../../support/content/rig.ts';

/** Runs in a mount namespace of its own; `argv` names the folder with root and index. Prints what each search found, and why without the index. */
const [, , folder = ''] = process.argv;
const root = path.join(folder, 'root');
const mount = (...args: string[]): void => void execFileSync('mount', args);
const backends = await realBackends();
const index = await patientLinks(hostsSettings(path.join(folder, 'cache')), treesOf(root, DEFAULT_DENIED_PATTERNS), backends.rg);
if (index === undefined) throw new Error('there is no index');
const search = createContentSearch(depsOf({ root, backend: backends.rg, emitStats: true, index }));
const said: Record<string, unknown> = {};

async function note(question: string): Promise<void> {
  const signal = new AbortController().signal;
  let found = await search.search({ pattern: 'needle' }, signal);
  // On a busy machine the host may be too slow for one search.
  for (let tries = 0; tries < 20 && found.ok && found.run.indexBypass === 'NO_HOST'; tries += 1) found = await search.search({ pattern: 'needle' }, signal);
  said[question] = found.ok ? [found.answer.count, found.run.indexBypass ?? 'none'] : found;
}

await note('other mounts, same tree');
mount('-t', 'tmpfs', 'writ-test', path.join(root, 'b'));
await note('a part of it is covered');
execFileSync('umount', [path.join(root, 'b')]);
await note('uncovered again');
mount('--bind', path.join(root, 'a'), root);
await note('another directory at its place');
index.close();
process.stdout.write(JSON.stringify(said));
