import { isDeepStrictEqual } from 'node:util';
import { watched } from '../../../bench/search-executor/resident.ts';
import { createScanPool } from '../../../src/adapters/search-process/pool.ts';
import { type SearchProcessOptions, searchProcessEntry } from '../../../src/bin/search/process.ts';
import type { ScanAnswer, SearchScope } from '../../../src/core/ports/index.ts';

const MEBIBYTE = 1024 * 1024;

/** What a search may take: the defaults of the settings. */
export const LIMITS = { memoryMiB: 256, defaultSeconds: 600, seconds: 600 };

/** A search of a big source, and what it must answer. */
export interface BigSearch {
  readonly name: string;
  readonly scope: SearchScope;
  readonly query: string;
  readonly maxResults: number;
  /** Bytes and records of the source. */
  readonly bytes: number;
  readonly records: number;
  /** All matches, and something of each of the first: a part of its snippet, or its id. */
  readonly expected: { readonly count: number; readonly first: readonly string[] };
  readonly look: 'ids' | 'words';
}

export interface Measured {
  readonly name: string;
  readonly bytes: number;
  readonly records: number;
  readonly count: number;
  readonly seconds: number;
  /** Highest resident size above idle. */
  readonly peakMiB: number;
  readonly withinDefaultTime: boolean;
  readonly withinMemory: boolean;
  readonly rightAnswer: boolean;
  readonly problem?: string;
}

/** Runs one search in a search process of its own, as the worker does, under the default limit of memory. */
export async function measure(search: BigSearch, spillDirectory: string): Promise<Measured> {
  const maxBytes = LIMITS.memoryMiB * MEBIBYTE;
  const options: SearchProcessOptions = { kinds: [search.scope.kind], spillDirectory, maxBytes };
  const pool = createScanPool({ entry: searchProcessEntry(), args: [JSON.stringify(options)], env: { SQLITE_TMPDIR: spillDirectory }, size: 1, maxBytes });
  await pool.start();
  try {
    const { scope, query, maxResults, name, bytes, records } = search;
    const { value, peakBytes } = await watched(process.pid, async () => {
      const started = performance.now();
      const answer = await pool.scan({ scope, query, maxResults }, AbortSignal.timeout(LIMITS.seconds * 1000));
      return { answer, seconds: (performance.now() - started) / 1000 };
    });
    return {
      name,
      bytes,
      records,
      count: value.answer.ok ? value.answer.found.count : 0,
      seconds: Math.round(value.seconds * 10) / 10,
      peakMiB: Math.round(peakBytes / MEBIBYTE),
      withinDefaultTime: value.seconds <= LIMITS.defaultSeconds,
      withinMemory: peakBytes <= maxBytes,
      rightAnswer: isRight(value.answer, search),
      ...(value.answer.ok ? {} : { problem: `${value.answer.code}: ${value.answer.message}` }),
    };
  } finally {
    await pool.stop();
  }
}

function isRight(answer: ScanAnswer, { expected, look, maxResults }: BigSearch): boolean {
  if (!answer.ok || answer.found.count !== expected.count) return false;
  const { hits } = answer.found;
  if (hits.length !== Math.min(maxResults, expected.count)) return false;
  if (look === 'ids') return isDeepStrictEqual(hits.map(({ id }) => id).slice(0, expected.first.length), expected.first);
  return expected.first.every((word, place) => hits[place]?.match_snippet.includes(word));
}
