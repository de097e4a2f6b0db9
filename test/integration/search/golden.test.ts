import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScanPool } from '../../../src/adapters/search-process/pool.ts';
import { type SearchProcessOptions, searchProcessEntry } from '../../../src/bin/search/process.ts';
import { searchScopes } from '../../../src/bin/search/scopes.ts';
import { SEARCH_KIND, type TaskManifest } from '../../../src/contracts/index.ts';
import type { SearchScope } from '../../../src/core/ports/index.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { type Rig, startRig } from '../../support/rig.ts';
import { plantSearchSources } from '../../support/search-sources.ts';
import type { WorkerChildSetup } from '../../support/worker-child.ts';

/** What the same searches have answered since this file was made; see `test/fixtures/search/README.md`. */
const GOLDEN = new URL('../../fixtures/search/golden.json', import.meta.url);

/** Where, what and how many. */
const SEARCHES = [
  ['files', 'needle', 40],
  ['files', 'I', 7],
  ['files', 'e\u0301', 50],
  ['eml', 'needle', 50],
  ['maildir', 'needle', 50],
  ['mbox', 'needle', 5],
  ['csv', 'needle', 50],
  ['csv-by-id', 'ß', 50],
  ['jsonl', 'needle', 50],
  ['jsonl', 'absent', 1],
  ['sqlite', 'needle', 3],
  ['sqlite-by-id', 'needle', 50],
  ['parquet', 'fade', 20],
  ['gone', 'needle', 1],
  ['broken', 'needle', 1],
  ['nowhere', 'needle', 1],
  ['files', ' ', 1],
  ['files', 'needle', 1001],
] as const;

/** Environments in which lists are sorted, numbers written and days counted in another way. */
const ENVIRONMENTS = [
  { LC_ALL: 'C', LANG: 'C', TZ: 'UTC' },
  { LC_ALL: 'tr_TR.UTF-8', LANG: 'sv_SE.UTF-8', LANGUAGE: 'tr', TZ: 'Pacific/Apia' },
] as const;

const KINDS = Object.fromEntries(Object.entries(SEARCH_KIND).map(([capability, kind]) => [kind, capability]));
let root: string;
let rigs: readonly [Rig, Rig];
let scopes: readonly Readonly<Record<string, SearchScope>>[];
let manifests: readonly TaskManifest[];

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-golden-'));
  const settings = ENVIRONMENTS.map((_, order) => ({
    worker: { search_concurrency: 1 },
    search: { scopes: plantSearchSources(path.join(root, String(order)), order) },
  }));
  rigs = [await startRig({ config: settings[0] ?? {} }), await startRig({ config: settings[1] ?? {} })];
  const [{ places: from }, { places: to }] = rigs;
  // The second installation has the keys of the first, so that it accepts its leases and signs as it does.
  for (const key of ['kernelKeyring', 'executorKey', 'executorKeyring'] as const) copyFileSync(from[key], to[key]);
  scopes = rigs.map(({ config }) => searchScopes(config));
  manifests = SEARCHES.map(([scope, query, max], n) => ({
    task_id: `golden-${n}`,
    capability_id: KINDS[scopes[0]?.[scope]?.kind ?? 'files'] ?? '',
    inputs: { query, target_scope: scope, max_results: max },
    constraints: {},
  }));
});
afterAll(async () => {
  for (const rig of rigs) await rig.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Its members, and those of its inputs, the other way round. */
function reversed<T extends object>(value: T): T {
  const turned = Object.entries(value).map(([name, member]): [string, unknown] => [name, name === 'inputs' ? reversed(member) : member]);
  return Object.fromEntries(turned.reverse()) as T;
}

/** The recorded texts of all searches, answered by a worker process of its own. */
async function answersOf(rig: Rig, env: Record<string, string>, tasks: readonly TaskManifest[]): Promise<string[]> {
  const setup = path.join(rig.places.dataDir, 'setup.json');
  writeFileSync(setup, JSON.stringify({ config: rig.config, dataDir: rig.places.dataDir } satisfies WorkerChildSetup));
  const args = scriptArgs(new URL('../../support/worker-child.ts', import.meta.url), [setup]);
  const worker = spawn(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const [message] = await once(worker, 'message');
    expect(message).toEqual({ type: 'ready' });
    const texts: string[] = [];
    for (const manifest of tasks) {
      // One kernel: both workers are given leases of the first installation.
      await rig.push(manifest, { lease: await rigs[0].lease(manifest) });
      await rig.answer(manifest.task_id);
      texts.push((await rig.ledger.row(manifest.task_id))?.result ?? '');
    }
    return texts;
  } finally {
    await ended(worker);
  }
}

async function ended(worker: ChildProcess): Promise<void> {
  const exit = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exit;
}

describe('the same searches', () => {
  it('have the same signed bytes from two workers, in any locale and time zone, whatever the order of inputs and of sources', {
    tags: ['SE-02', 'SE-61', 'SE-71'],
  }, async () => {
    const [first, second] = [await answersOf(rigs[0], ENVIRONMENTS[0], manifests), await answersOf(rigs[1], ENVIRONMENTS[1], manifests.map(reversed))];
    for (const [n, text] of first.entries()) expect(second[n], JSON.stringify(SEARCHES[n])).toBe(text);
    const unsigned = first.map((text, n) => {
      const { signature, ...answer } = JSON.parse(text);
      expect(signature, JSON.stringify(SEARCHES[n])).toMatch(/^[\w-]+\.\.[\w-]+$/);
      return answer;
    });
    expect(unsigned).toEqual(JSON.parse(readFileSync(GOLDEN, 'utf8')));
  });

  it('have the same answers from two processes of one pool, in any order of asking', { tags: ['SE-61'] }, async () => {
    const kinds = ['datasets', 'emails', 'files'] as const;
    const options: SearchProcessOptions = { kinds, spillDirectory: path.join(root, 'spill'), maxBytes: 256 * 1024 * 1024 };
    const pids = new Set<number>();
    const pool = createScanPool({
      entry: searchProcessEntry(),
      args: [JSON.stringify(options)],
      size: 2,
      maxBytes: options.maxBytes,
      onGone: (pid) => pids.add(pid),
    });
    await pool.start();
    const ask = async (order: number, [id, query, maxResults]: (typeof SEARCHES)[number]): Promise<string> => {
      const scope = scopes[order]?.[id];
      return scope === undefined ? '' : JSON.stringify(await pool.scan({ scope, query, maxResults }, new AbortController().signal));
    };
    // Asked at the same time, each pair meets both processes.
    const pairs = await Promise.all(SEARCHES.map(async (search) => [await Promise.all([ask(0, search), ask(1, search)]), search] as const));
    const again = await Promise.all(SEARCHES.toReversed().map((search) => ask(0, search)));
    await pool.stop();
    for (const [n, [[one, other], search]] of pairs.entries()) {
      expect(other, JSON.stringify(search)).toBe(one);
      expect(again[SEARCHES.length - 1 - n], JSON.stringify(search)).toBe(one);
    }
    expect(pids.size).toBe(2);
  });
});
