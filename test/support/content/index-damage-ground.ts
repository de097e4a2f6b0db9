import { appendFileSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openCandidateIndex } from '../../../src/content-search/io/tool.ts';
import { DEFAULT_DENIED_PATTERNS } from '../../../src/content-search/search/sandbox.ts';
import { createContentSearch } from '../../../src/content-search/search/search.ts';
import type { ContentSearch, SearchBackend } from '../../../src/core/ports/index.ts';
import { createRandom, type Random } from '../random.ts';
import { copyOf, DAMAGE_NAMES, DAMAGES, everythingIn, kindOf } from './index-damage-ways.ts';
import { type HostNews, type HostProcess, hostsSettings, startHost, treesOf } from './index-host.ts';
import { plantTree } from './random-tree.ts';
import { depsOf } from './rig.ts';

export interface DamageCount {
  trees: number;
  damages: number;
  searches: number;
  /** Searches in which the index left files out. */
  excluding: number;
  /** Rounds after which the host came back to COMPLETE and a search left files out again. */
  recoveries: number;
  /** Builds that had to be asked for, because one that fails is not tried again (FR-LSI-BG-22). */
  asked: number;
  /** Ends of the host that nobody asked for. */
  deaths: number;
  /** Searches without the index that ended while one with it was under way, at most. */
  meanwhile: number;
  readonly ways: Record<string, number>;
  readonly files: Record<string, number>;
  readonly phases: Record<string, number>;
  readonly bypasses: Record<string, number>;
}

/** A tree, its index and the host of it; what is done to them, and what was counted. */
export interface Ground {
  readonly random: Random;
  readonly root: string;
  readonly cacheRoot: string;
  readonly older: string;
  readonly count: DamageCount;
  readonly start: () => Promise<HostProcess>;
  readonly plain: ContentSearch;
  /** One that keeps its segments open, and one that has just begun; or one that waits for a busy host as long as it takes. */
  readonly indexed: (links?: typeof openCandidateIndex) => Promise<{ readonly search: ContentSearch; close(): void }>;
  host: HostProcess;
  /** The failed build after which another was asked for. */
  answered: HostNews | undefined;
}

interface Planting {
  readonly seed: number;
  readonly place: string;
  readonly cacheRoot: string;
  readonly backend: SearchBackend;
  readonly count: DamageCount;
  readonly inMemory: boolean;
}

/** A tree of random files with a COMPLETE index, whose host runs. */
export async function plant({ seed, place, cacheRoot, backend, count, inMemory }: Planting): Promise<Ground> {
  const random = createRandom(seed);
  const [root, older] = [path.join(place, 'root'), path.join(place, 'older')];
  mkdirSync(root);
  plantTree(random, root);
  for (let at = 0; at < 200; at += 1) writeFileSync(path.join(root, `plain${at}.txt`), `${WORDS[at % WORDS.length]} and number ${at}\n`.repeat(1 + (at % 7)));
  const settings = hostsSettings(cacheRoot, inMemory ? { storageMode: 'memory' } : {});
  const trees = treesOf(root, DEFAULT_DENIED_PATTERNS);
  const start = (): Promise<HostProcess> => startHost({ settings, trees, backend: backend.kind });
  const deps = { root, backend, emitStats: true, fuzzyFallback: undefined };
  const host = await start();
  await host.until('COMPLETE');
  copyOf(cacheRoot, older);
  return {
    ...{ random, root, cacheRoot, older, count, start, host, answered: undefined },
    plain: createContentSearch(depsOf(deps)),
    async indexed(links = openCandidateIndex) {
      const index = await links(settings, trees, backend);
      if (index === undefined) throw new Error('there is no index');
      return { search: createContentSearch(depsOf({ ...deps, index })), close: () => index.close() };
    },
  };
}

/** What was tried until a file was damaged, if there is one. */
export function damages(ground: Ground): readonly string[] {
  const before = ground.count.damages;
  const tried: string[] = [];
  do tried.push(damage(ground));
  while (ground.count.damages === before && everythingIn(ground.cacheRoot).length > 0);
  return tried;
}

function damage({ random, cacheRoot, count, host }: Ground): string {
  const everything = everythingIn(cacheRoot).filter((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined);
  if (everything.length === 0) return 'nothing is there';
  const file = random.pick(everything);
  const way = random.pick(DAMAGE_NAMES);
  // SQLite maps this file: to be shortened under it is to be killed (docs/index-safety.md).
  if (host.isAlive() && file.endsWith('-shm') && SHORTENING.has(way)) return 'left as it is';
  try {
    DAMAGES[way](random, file, everything);
  } catch (error) {
    // The host took it away in that moment.
    if (!(error instanceof Error && ('code' in error || 'status' in error))) throw error;
  }
  const kind = kindOf(file);
  count.damages += 1;
  count.ways[way] = (count.ways[way] ?? 0) + 1;
  count.files[kind] = (count.files[kind] ?? 0) + 1;
  return `${path.relative(cacheRoot, file)} ${way}`;
}

/** Words of which every file of the tree has one. */
export const WORDS = ['needle', 'hay', 'straw', 'zap_page', 'abcdef'];

const SHORTENING: ReadonlySet<string> = new Set(['truncated', 'emptied', 'overwritten by another']);

/** Writes to one file of the tree, somewhere. */
export function change({ random, root }: Ground): void {
  const file = path.join(root, `plain${random.integer(200)}.txt`);
  if (random.chance(0.5)) appendFileSync(file, `${random.pick(WORDS)}\n`);
  else writeFileSync(file, `${random.pick(WORDS)} ${random.integer(1_000)}\n`);
}
