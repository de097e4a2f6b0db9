import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApiKeyStore } from '../../src/adapters/linux/api-keys.ts';
import { ROUNDS, spread } from '../contract.ts';
import { startProcess } from '../process.ts';
import { openSite } from '../throughput/site.ts';
import { WANTED, type Wanted } from './wanted.ts';

const WRIT = new URL('../../src/bin/writ.js', import.meta.url);

/** Milliseconds of the same searches over a warm `POST /v1/search`, JSON included, and by `writ search`, its start included. */
export async function wholeWay(root: string): Promise<Record<string, number>> {
  return { ...(await overHttp(root)), ...(await onTheCommandLine(root)) };
}

async function overHttp(root: string): Promise<Record<string, number>> {
  const site = await openSite();
  try {
    const { secret } = await createApiKeyStore({ file: site.places.apiKeys }).create({ name: 'bench', roles: ['search'] });
    const settings = ['http.port=0', 'tools.search.enabled=true', `tools.sandbox.allowed_roots=${root}`].flatMap((setting) => ['--set', setting]);
    const api = await startProcess(WRIT, ['api', '--data-dir', site.places.dataDir, ...settings]);
    try {
      const url = new URL('/v1/search', readFileSync(site.places.apiUrl, 'utf8').trim());
      return await medians('http', async ({ pattern, fixedStrings }) => {
        const body = JSON.stringify({ pattern, fixed_strings: fixedStrings });
        const answer = await fetch(url, { method: 'POST', body, headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' } });
        const found = (await answer.json()) as { readonly count?: number };
        if (!answer.ok || found.count === undefined) throw new Error(`POST /v1/search answered ${answer.status} ${JSON.stringify(found)}`);
      });
    } finally {
      await api.stop();
    }
  } finally {
    await site.close();
  }
}

function onTheCommandLine(root: string): Promise<Record<string, number>> {
  return medians('cli', async ({ pattern, fixedStrings }) => {
    const args = [fileURLToPath(WRIT), 'search', '-m', '200', ...(fixedStrings ? ['-F'] : []), pattern];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0 && code !== 1) throw new Error(`writ search ended with ${code}`);
  });
}

/** A round to warm up, then the median of the others. */
async function medians(way: string, search: (wanted: Wanted) => Promise<void>): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const wanted of WANTED) {
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const start = performance.now();
      await search(wanted);
      times.push(performance.now() - start);
    }
    figures[`${way}.${wanted.name}_ms`] = Math.round(spread(times.slice(1)).median);
  }
  return figures;
}
