import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ContentSearch, ContentSearchOutcome } from '../../../src/core/ports/index.ts';
import { patient } from '../patience.ts';
import { type Ground, WORDS } from './index-damage-ground.ts';
import { patientLinks } from './index-links.ts';

/**
 * A search with the index begins with one without it, and ends before so many of these have ended one after the other: about a
 * second where nothing else runs, and as much longer as everything takes longer where something does.
 */
const MAX_MEANWHILE = 40;
const RECOVERY_MS = patient(60_000);

/** Searches with the index and without: whether the index left files out. Throws when the answers differ, or the one with the index takes too long. */
export async function compare({ plain, random, count }: Ground, indexed: ContentSearch, what: string, mayWait = false): Promise<boolean> {
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
export async function recovered(ground: Ground, what: string): Promise<void> {
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
