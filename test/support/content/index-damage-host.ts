import { randomUUID } from 'node:crypto';
import { createMemoryLane } from '../../../src/adapters/memory/maintenance-lane.ts';
import { compileDenied } from '../../../src/content-search/enumerate/denied.ts';
import type { SearchedTrees } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import { type HostsSettings, openIndexHosts } from '../../../src/content-search/ngram-index/serving/hosts.ts';

import { createContentSearch } from '../../../src/content-search/search/search.ts';
import type { ContentSearchStats, IndexStatus, IndexTaskKind } from '../../../src/contracts/index.ts';
import type { IndexHostEvent, SearchBackend } from '../../../src/core/ports/index.ts';
import { PATIENCE_MS } from '../patience.ts';
import { patientLinks } from './index-links.ts';
import { depsOf } from './rig.ts';

export interface HostsUnderTest extends AsyncDisposable {
  readonly events: readonly IndexHostEvent[];
  status(): IndexStatus | undefined;
  ask(kind: IndexTaskKind): Promise<void>;
  /** Resolves when the first host is in this state (`COMPLETE`, `UNCERTAIN/POLICY_CHANGED`) and does nothing. */
  settled(state: string): Promise<void>;
  /** Resolves when this is so, looked at after each event. */
  happened(is: () => boolean): Promise<void>;
  /** Searches with and without the index; throws when the answers differ. @returns the stats of the one with it */
  search(pattern: string): Promise<ContentSearchStats>;
  stop(): Promise<void>;
}

const LIMIT_MS = PATIENCE_MS;

/** Index hosts in this process, started. */
export async function hostsHere(settings: HostsSettings, trees: SearchedTrees, backend: SearchBackend): Promise<HostsUnderTest> {
  const events: IndexHostEvent[] = [];
  const waiting = new Set<() => void>();
  const lane = createMemoryLane({ newId: randomUUID });
  const report = (_root: string, event: IndexHostEvent): void => {
    events.push(event);
    for (const look of waiting) look();
  };
  const hosts = openIndexHosts({ settings, trees, backend, lane, report });
  await hosts.start();
  const status = (): IndexStatus | undefined => hosts.hosts[0]?.status();
  const stateOf = (): string => {
    const now = status();
    return now === undefined ? 'none' : `${now.state}${now.reason === null ? '' : `/${now.reason}`}`;
  };

  async function search(pattern: string): Promise<ContentSearchStats> {
    const index = await patientLinks(settings, trees, backend);
    const sandbox = { denied: compileDenied(trees.deniedPatterns) };
    const deps = { root: trees.roots[0] ?? '', backend, sandbox, emitStats: true, fuzzyFallback: undefined };
    try {
      const request = { pattern, fixed_strings: true, max_results: 500 };
      const signal = new AbortController().signal;
      const without = await createContentSearch(depsOf(deps)).search(request, signal);
      const withIndex = await createContentSearch(depsOf({ ...deps, ...(index === undefined ? {} : { index }) })).search(request, signal);
      if (!without.ok || !withIndex.ok || withIndex.answer.stats === undefined) throw new Error('there is no answer');
      if (JSON.stringify(without.answer.matches) !== JSON.stringify(withIndex.answer.matches)) throw new Error(`other answers for ${pattern}`);
      return withIndex.answer.stats;
    } finally {
      index?.close();
    }
  }

  function until(is: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.delete(look);
        reject(new Error(`it is ${stateOf()}: ${JSON.stringify(events.slice(-8))}`));
      }, LIMIT_MS);
      // A task is told of before it is over.
      const look = (): void =>
        void setImmediate(() => {
          if (!waiting.has(look) || !is()) return;
          waiting.delete(look);
          clearTimeout(late);
          resolve();
        });
      waiting.add(look);
      look();
    });
  }

  return {
    events,
    status,
    search,
    async ask(kind) {
      const keyHash = status()?.key_hash;
      if (keyHash !== undefined && keyHash !== null) await lane.submit({ keyHash, kind, reason: 'asked by a test' });
    },
    happened: until,
    settled: (state) => until(() => stateOf() === state && status()?.activity === null),
    stop: () => hosts.stop(),
    [Symbol.asyncDispose]: () => hosts.stop(),
  };
}
