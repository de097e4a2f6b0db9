import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createApiKeyStore } from '../../src/data-dir/api-keys.ts';
import { indexSettings } from '../content-index/settings.ts';
import { ROUNDS, spread } from '../contract.ts';
import { startProcess } from '../process.ts';
import { openSite, type Site } from '../throughput/site.ts';
import type { Wanted } from './wanted.ts';

const WRIT = new URL('../../src/bin/writ.js', import.meta.url);

/** What is searched for on the whole way, and how. */
export interface WholeWay {
  readonly root: string;
  readonly wanted: readonly Wanted[];
  /** Where an index of the root for ripgrep lies, which every search has to use; `null`: ripgrep without one. */
  readonly cacheRoot?: string | null;
}

/** Milliseconds of the same searches over a warm `POST /v1/search`, JSON included, and by `writ search`, its start included. */
export async function wholeWay(way: WholeWay): Promise<Record<string, number>> {
  const site = await openSite();
  try {
    return { ...(await overHttp(site, way)), ...(await onTheCommandLine(site, way)) };
  } finally {
    await site.close();
  }
}

/** The installation and its settings, in words for a command. */
function installation({ places }: Site, { root, cacheRoot }: WholeWay): string[] {
  const settings = ['tools.search.enabled=true', `tools.sandbox.allowed_roots=${root}`];
  if (cacheRoot !== undefined) settings.push('tools.search.binary=rg');
  if (typeof cacheRoot === 'string') {
    const index = { mode: 'on', path: cacheRoot, roots: root, max_tokenized_bytes: indexSettings(cacheRoot).maxTokenizedBytes };
    settings.push('tools.search.emit_stats=true', ...Object.entries(index).map(([name, value]) => `tools.search.index_${name}=${value}`));
  }
  return ['--data-dir', places.dataDir, ...settings.flatMap((setting) => ['--set', setting])];
}

async function overHttp(site: Site, way: WholeWay): Promise<Record<string, number>> {
  const { secret } = await createApiKeyStore({ file: site.places.apiKeys }).create({ name: 'bench', roles: ['search'] });
  const api = await startProcess(WRIT, ['api', ...installation(site, way), '--set', 'http.port=0']);
  try {
    const url = new URL('/v1/search', readFileSync(site.places.apiUrl, 'utf8').trim());
    return await medians('http', way, async ({ pattern, fixedStrings }) => {
      const body = JSON.stringify({ pattern, fixed_strings: fixedStrings });
      const answer = await fetch(url, { method: 'POST', body, headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' } });
      const found = (await answer.json()) as { readonly count?: number; readonly stats?: { readonly index_bypass: string | null } };
      if (!answer.ok || found.count === undefined) throw new Error(`POST /v1/search answered ${answer.status} ${JSON.stringify(found)}`);
      return found.stats?.index_bypass === null;
    });
  } finally {
    await api.stop();
  }
}

/** As one of the installation where its settings matter, else as anybody. */
function onTheCommandLine(site: Site, way: WholeWay): Promise<Record<string, number>> {
  const place = way.cacheRoot === undefined ? [] : [...installation(site, way), '--stats'];
  return medians('cli', way, async ({ pattern, fixedStrings }) => {
    const args = [fileURLToPath(WRIT), 'search', ...place, '-m', '200', ...(fixedStrings ? ['-F'] : []), pattern];
    const child = spawn(process.execPath, args, { cwd: way.root, stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
    if (code !== 0 && code !== 1) throw new Error(`writ search ended with ${code}: ${said}`);
    return /index_exclusion_used +true/.test(said);
  });
}

/** Searches before the first that counts: a server has compiled what they run, as the library has in the same bench. */
const WARM_UP = 10;

/** The median of some rounds, after those to warm up. */
async function medians(name: string, way: WholeWay, search: (wanted: Wanted) => Promise<boolean>): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const wanted of way.wanted) {
    const times: number[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const start = performance.now();
      const usesIndex = await search(wanted);
      times.push(performance.now() - start);
      if (usesIndex !== (typeof way.cacheRoot === 'string')) throw new Error(`${name} ${wanted.name}: the index was ${usesIndex ? '' : 'not '}used`);
    }
    figures[`${name}.${wanted.name}_ms`] = Math.round(spread(times.slice(WARM_UP)).median);
  }
  return figures;
}
