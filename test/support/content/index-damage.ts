import { appendFileSync, cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { openCandidateIndex } from '../../../src/content-search/io/tool.ts';
import { DEFAULT_DENIED_PATTERNS } from '../../../src/content-search/search/sandbox.ts';
import { createContentSearch } from '../../../src/content-search/search/search.ts';
import type { ContentSearch, ContentSearchOutcome, SearchBackend } from '../../../src/core/ports/index.ts';
import { patient } from '../patience.ts';
import { createRandom, type Random } from '../random.ts';
import { copyOf, DAMAGE_NAMES, DAMAGES, everythingIn, kindOf } from './index-damage-ways.ts';
import { type HostNews, type HostProcess, hostsSettings, startHost, treesOf } from './index-host.ts';
import { patientLinks } from './index-links.ts';
import { plantTree } from './random-tree.ts';
import { depsOf } from './rig.ts';

export interface DamageOptions {
  readonly seed: number;
  /** A directory that belongs to the run. */
  readonly folder: string;
  readonly backend: SearchBackend;
  readonly trees: number;
  /** Rounds of damage of each tree; some of them damage several files. */
  readonly roundsPerTree: number;
  readonly phases?: readonly DamagePhase[];
  /** Indexes are kept in shared memory; throws if one is left there in the end. */
  readonly inMemory?: boolean;
}

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

/** When the damage is done. */
const PHASES = ['stopped', 'killed', 'serving', 'building', 'updating', 'merging', 'older'] as const;
export type DamagePhase = (typeof PHASES)[number];

/**
 * A search with the index begins with one without it, and ends before so many of these have ended one after the other: about a
 * second where nothing else runs, and as much longer as everything takes longer where something does.
 */
const MAX_MEANWHILE = 40;
const RECOVERY_MS = patient(60_000);
const SHARED_MEMORY = '/dev/shm';

/**
 * Every file of an index damaged in every way at every phase of its host: each answer with the index is the answer without it,
 * no search waits, nothing crashes, and the index serves again by itself. Throws at the first that is otherwise, with its seed.
 */
export async function runDamage({ seed, folder, backend, trees, roundsPerTree, phases = PHASES, inMemory = false }: DamageOptions): Promise<DamageCount> {
  const count: DamageCount = {
    ...{ trees: 0, damages: 0, searches: 0, excluding: 0, recoveries: 0, asked: 0, deaths: 0, meanwhile: 0 },
    ...{ ways: {}, files: {}, phases: {}, bypasses: {} },
  };
  for (let tree = 0; tree < trees; tree += 1) {
    const place = mkdtempSync(path.join(folder, 'damage-'));
    const cacheRoot = mkdtempSync(path.join(inMemory ? SHARED_MEMORY : place, 'writ-cache-'));
    // What happens is the same for a seed, however often a search is made again.
    const phaseRandom = createRandom(seed + tree + PHASES.length);
    const ground = await plant({ seed: seed + tree, place, cacheRoot, backend, count, inMemory });
    try {
      for (let round = 0; round < roundsPerTree; round += 1) await oneRound(ground, phaseRandom.pick(phases), `seed ${seed + tree}, round ${round}`);
    } finally {
      await ground.host.stop();
    }
    const left = inMemory ? readdirSync(cacheRoot).filter((name) => /^[0-9a-f]{16}$/.test(name)) : [];
    rmSync(cacheRoot, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`${left.join(', ')} is left in memory`);
    rmSync(place, { recursive: true, force: true });
    count.trees += 1;
  }
  return count;
}

interface Ground {
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

async function plant({ seed, place, cacheRoot, backend, count, inMemory }: Planting): Promise<Ground> {
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

async function oneRound(ground: Ground, phase: DamagePhase, where: string): Promise<void> {
  const { random, count } = ground;
  const old = await ground.indexed();
  await compare(ground, old.search, where);
  count.phases[phase] = (count.phases[phase] ?? 0) + 1;
  const done: string[] = [];
  const hurt = (): void => {
    for (let files = random.chance(0.8) ? 1 : 3; files > 0; files -= 1) done.push(...damages(ground));
  };
  try {
    await HURT[phase](ground, hurt);
    const what = `${where}, ${phase}: ${done.join('; ')}`;
    await compare(ground, old.search, what);
    const fresh = await ground.indexed();
    try {
      for (let searches = 3; searches > 0; searches -= 1) await compare(ground, fresh.search, what);
      change(ground);
      await compare(ground, fresh.search, what);
      await compare(ground, old.search, what);
      await recovered(ground, what);
    } finally {
      fresh.close();
    }
  } finally {
    old.close();
  }
}

/** Brings about the phase, and the damage at a random moment in it: no signal tells of the moments between two writes. */
const HURT: { readonly [P in DamagePhase]: (ground: Ground, hurt: () => void) => Promise<void> } = {
  async stopped(ground, hurt) {
    await ground.host.stop();
    hurt();
    ground.host = await ground.start();
  },
  async killed(ground, hurt) {
    await ground.host.kill();
    hurt();
    ground.host = await ground.start();
  },
  async serving(_, hurt) {
    hurt();
  },
  async building(ground, hurt) {
    const building = ground.host.next((news) => news.kind === 'state' && news.state === 'BUILDING');
    ground.host.ask('build');
    await building;
    await delay(ground.random.integer(12));
    hurt();
  },
  async updating(ground, hurt) {
    for (let changes = 20; changes > 0; changes -= 1) change(ground);
    await delay(ground.random.integer(30));
    hurt();
  },
  async merging(ground, hurt) {
    for (let deltas = 2; deltas > 0; deltas -= 1) {
      const updated = ground.host.next((news) => news.kind === 'task' && news.task === 'update');
      change(ground);
      await updated;
    }
    ground.host.ask('merge');
    await delay(ground.random.integer(12));
    hurt();
  },
  /** All of it as it was some time ago: nothing is damaged, and nothing is true. */
  async older(ground, hurt) {
    await ground.host.stop();
    rmSync(ground.cacheRoot, { recursive: true });
    cpSync(ground.older, ground.cacheRoot, { recursive: true });
    if (ground.random.chance(0.3)) hurt();
    ground.host = await ground.start();
  },
};

/** What was tried until a file was damaged, if there is one. */
function damages(ground: Ground): readonly string[] {
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

const SHORTENING: ReadonlySet<string> = new Set(['truncated', 'emptied', 'overwritten by another']);
const WORDS = ['needle', 'hay', 'straw', 'zap_page', 'abcdef'];

function change({ random, root }: Ground): void {
  const file = path.join(root, `plain${random.integer(200)}.txt`);
  if (random.chance(0.5)) appendFileSync(file, `${random.pick(WORDS)}\n`);
  else writeFileSync(file, `${random.pick(WORDS)} ${random.integer(1_000)}\n`);
}

async function compare({ plain, random, count }: Ground, indexed: ContentSearch, what: string, mayWait = false): Promise<boolean> {
  const request = {
    pattern: random.chance(0.7) ? random.pick(WORDS) : `number ${random.integer(200)}`,
    fixed_strings: true,
    max_results: 500,
    timeout_ms: 60_000,
  };
  const signal = new AbortController().signal;
  let isOver = false;
  const searching = indexed.search(request, signal).finally(() => {
    isOver = true;
  });
  const without = await plain.search(request, signal);
  let meanwhile = isOver ? 0 : 1;
  for (; !isOver && !mayWait && meanwhile < MAX_MEANWHILE; meanwhile += 1) await plain.search(request, signal);
  const withIndex = await searching;
  count.searches += 1;
  count.meanwhile = Math.max(count.meanwhile, meanwhile);
  if (meanwhile >= MAX_MEANWHILE) throw new Error(`${what}: a search with the index took longer than ${meanwhile} without it`);
  if (!isDeepStrictEqual(told(withIndex), told(without))) {
    throw new Error(`${what}: ${JSON.stringify(request)}\nwithout: ${JSON.stringify(told(without))}\nwith:    ${JSON.stringify(told(withIndex))}`);
  }
  const bypass = withIndex.ok ? (withIndex.answer.stats?.index_bypass ?? null) : 'REFUSED';
  if (bypass === null) count.excluding += 1;
  else count.bypasses[bypass] = (count.bypasses[bypass] ?? 0) + 1;
  return bypass === null;
}

function told(outcome: ContentSearchOutcome): unknown {
  if (!outcome.ok) return outcome.error;
  const { stats, ...rest } = outcome.answer;
  return { ...rest, total: stats?.candidates_total };
}

/** Until a search that begins afresh leaves files out again. */
async function recovered(ground: Ground, what: string): Promise<void> {
  const { count } = ground;
  const until = performance.now() + RECOVERY_MS;
  for (;;) {
    if (!ground.host.isAlive()) {
      count.deaths += 1;
      ground.host = await ground.start();
    }
    const fresh = await ground.indexed(patientLinks);
    const excludes = await compare(ground, fresh.search, what, true).finally(() => fresh.close());
    if (excludes) break;
    if (performance.now() > until) throw new Error(`${what}: the index did not come back: ${JSON.stringify(ground.host.news.slice(-12))}`);
    askAgain(ground);
    // There is no signal for what does not happen.
    await delay(50);
  }
  count.recoveries += 1;
}

/** A build that failed is not tried again before somebody asks for it (FR-LSI-BG-22); one asks once. */
function askAgain(ground: Ground): void {
  const { host, count } = ground;
  const build = host.news.findLast((news) => news.kind === 'task' && news.task === 'build');
  if (build?.kind !== 'task' || !UNFINISHED.has(build.outcome) || build === ground.answered || host.state() === 'COMPLETE') return;
  ground.answered = build;
  count.asked += 1;
  host.ask('build');
}

const UNFINISHED: ReadonlySet<string> = new Set(['failed', 'corrupt', 'over-budget']);
