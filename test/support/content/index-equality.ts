import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { OpenCandidateIndex } from '../../../src/content-search/ngram-index/query/candidate-index.ts';
import { configuredIndexes } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import { DEFAULT_DENIED_PATTERNS } from '../../../src/content-search/search/sandbox.ts';
import { createContentSearch } from '../../../src/content-search/search/search.ts';
import type { ContentSearch, ContentSearchOutcome, SearchBackend } from '../../../src/core/ports/index.ts';
import { createRandom, type Random } from '../random.ts';
import { whileStopped } from '../stand-still.ts';
import { autopsy } from './index-autopsy.ts';
import { apply, burst, CHANGE_NAMES, CHANGES, type ChangeName, soughtText, unmountAll } from './index-changes.ts';
import { type HostProcess, hostsSettings, startHost, treesOf } from './index-host.ts';
import { patientLinks } from './index-links.ts';
import { randomExpression } from './random-expression.ts';
import { randomOptions } from './random-request.ts';
import { plantTree } from './random-tree.ts';
import { depsOf } from './rig.ts';

export interface EqualityOptions {
  readonly seed: number;
  /** A directory that belongs to the run. */
  readonly folder: string;
  readonly backend: SearchBackend;
  readonly trees: number;
  /** Changes and searches of each tree. */
  readonly roundsPerTree: number;
  /** Share of rounds before which the host is killed and started again. */
  readonly kills: number;
  /** Share of rounds in which more happens than the kernel can tell of. */
  readonly bursts?: number;
  /** Without events, searches look at each file themselves. */
  readonly level?: 'inotify' | 'stat';
  /** What is wanted of the counts of a tree: on a slow machine the index serves less of the same history, and is asked more often after it. */
  readonly isEnough?: (count: EqualityCount) => boolean;
}

export interface EqualityCount {
  trees: number;
  rounds: number;
  searches: number;
  /** Searches in which the index left files out. */
  excluding: number;
  excludedFiles: number;
  events: number;
  kills: number;
  bursts: number;
  readonly bypasses: Record<string, number>;
  readonly changes: Partial<Record<ChangeName, number>>;
}

/**
 * The main test of the index: random trees, random histories of changes, kills of the host, random requests in between; the
 * answer with the index is the answer without it, byte for byte, but for `stats`. Throws at the first difference, with its seed.
 */
export async function runEquality({
  seed,
  folder,
  backend,
  trees,
  roundsPerTree,
  kills,
  bursts = 0,
  level = 'inotify',
  isEnough = () => true,
}: EqualityOptions): Promise<EqualityCount> {
  const count: EqualityCount = { trees: 0, rounds: 0, searches: 0, excluding: 0, excludedFiles: 0, events: 0, kills: 0, bursts: 0, bypasses: {}, changes: {} };
  for (let tree = 0; tree < trees; tree += 1) {
    const place = mkdtempSync(path.join(folder, 'tree-'));
    await runTree({ seed: seed + tree, place, backend, rounds: roundsPerTree, kills, bursts, level, isEnough, count });
    rmSync(place, { recursive: true, force: true });
    count.trees += 1;
  }
  return count;
}

interface TreeRun {
  readonly seed: number;
  readonly place: string;
  readonly backend: SearchBackend;
  readonly rounds: number;
  readonly kills: number;
  readonly bursts: number;
  readonly level: 'inotify' | 'stat';
  readonly isEnough: (count: EqualityCount) => boolean;
  readonly count: EqualityCount;
}

async function runTree({ seed, place, backend, rounds, kills, bursts, level, isEnough, count }: TreeRun): Promise<void> {
  const random = createRandom(seed);
  const root = path.join(place, 'root');
  const cacheRoot = path.join(place, 'cache');
  mkdirSync(root);
  mkdirSync(cacheRoot, { mode: 0o700 });
  plantTree(random, root);
  const settings = hostsSettings(cacheRoot, level === 'stat' ? { host: { ...hostsSettings(cacheRoot).host, watch: false } } : {});
  const searched = treesOf(root, DEFAULT_DENIED_PATTERNS);
  const start = (): Promise<HostProcess> => startHost({ settings, trees: searched, backend: backend.kind });
  let host = await start();
  const index = await patientLinks(settings, searched, backend);
  if (index === undefined) throw new Error('there is no index');
  const both = searches(root, backend, index);
  const history: string[] = [];
  const why = async (): Promise<string> => {
    const [place] = configuredIndexes(settings, searched, backend);
    const autopsied = place === undefined ? 'no place' : await autopsy(place);
    return [autopsied, `changes: ${history.slice(-12).join(', ')}`, `news: ${JSON.stringify(host.news.slice(-12))}`].join('\n');
  };
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (random.chance(kills)) {
        await host.kill();
        count.kills += 1;
        if (random.chance(0.5)) history.push(`${round}: ${change(random, root, count)}`);
        host = await start();
      }
      // Mostly the index serves when the change comes; sometimes it is still at work.
      if (random.chance(0.7)) await host.until('COMPLETE');
      if (random.chance(bursts)) {
        whileStopped(host.pid, () => burst(root));
        count.bursts += 1;
      }
      for (let changes = random.integer(4); changes > 0; changes -= 1) history.push(`${round}: ${change(random, root, count)}`);
      for (let asked = 1 + random.integer(3); asked > 0; asked -= 1) await compare(random, root, both, `seed ${seed}, round ${round}`, count, why);
      count.rounds += 1;
    }
    while (!isEnough(count)) {
      await host.until('COMPLETE');
      await compare(random, root, both, `seed ${seed}, in the end`, count, why);
    }
  } finally {
    index.close();
    await host.stop();
    unmountAll(root);
  }
}

function change(random: Random, root: string, count: EqualityCount): ChangeName {
  const name = random.pick(CHANGE_NAMES);
  apply(CHANGES[name], random, root);
  count.changes[name] = (count.changes[name] ?? 0) + 1;
  return name;
}

interface Both {
  readonly plain: ContentSearch;
  readonly indexed: ContentSearch;
}

function searches(root: string, backend: SearchBackend, index: OpenCandidateIndex): Both {
  const settings = { root, backend, emitStats: true, fuzzyFallback: undefined };
  return { plain: createContentSearch(depsOf(settings)), indexed: createContentSearch(depsOf({ ...settings, index })) };
}

async function compare(random: Random, root: string, { plain, indexed }: Both, where: string, count: EqualityCount, why: () => Promise<string>): Promise<void> {
  const request = randomRequest(random, root);
  const signal = new AbortController().signal;
  const [without, withIndex] = [await plain.search(request, signal), await indexed.search(request, signal)];
  const [expected, got] = [told(without), told(withIndex)];
  if (!isDeepStrictEqual(got, expected)) {
    const said = [`${where}: ${JSON.stringify(request)}`, `without: ${JSON.stringify(expected)}`, `with:    ${JSON.stringify(got)}`];
    throw new Error([...said, JSON.stringify(statsOf(withIndex)), await why()].join('\n'));
  }
  count.searches += 1;
  const stats = statsOf(withIndex);
  if (stats === undefined) return;
  count.events += expected && 'count' in expected ? Number(expected.count) : 0;
  if (stats.index_bypass === null) {
    count.excluding += 1;
    count.excludedFiles += stats.candidates_excluded;
  } else count.bypasses[stats.index_bypass] = (count.bypasses[stats.index_bypass] ?? 0) + 1;
}

function statsOf(outcome: ContentSearchOutcome) {
  return outcome.ok ? outcome.answer.stats : undefined;
}

/** Everything but the stats; `candidates_total` is the same too, because it says what there is. */
function told(outcome: ContentSearchOutcome) {
  if (!outcome.ok) return { error: outcome.error };
  const { stats, ...rest } = outcome.answer;
  return { ...rest, total: stats?.candidates_total };
}

/** Mostly what an index can help with, as agents ask it; sometimes anything. */
function randomRequest(random: Random, root: string): unknown {
  const text = soughtText(random, root);
  // What a backend refuses is compared too: both must refuse it.
  const isExpression = random.chance(0.35);
  const made = isExpression ? randomExpression(random, text) : text;
  const pattern = made === '' ? text : made;
  const { wordRegexp, hidden, follow, noIgnore, globs, context, maxResults, ...rest } = randomOptions(random);
  const odd = random.chance(0.2);
  return {
    pattern,
    ...(!isExpression && random.chance(0.5) ? { fixed_strings: true } : {}),
    case: rest.case,
    word_regexp: wordRegexp,
    context,
    max_results: maxResults,
    timeout_ms: 60_000,
    ...(globs.length > 0 ? { glob: globs } : {}),
    ...(odd ? { hidden, follow, no_ignore: noIgnore } : {}),
    ...(random.chance(0.2) ? { path: random.pick(['a', 'b', 'src', 'lib', 'build', 'é', '.', 'a.txt']) } : {}),
  };
}
