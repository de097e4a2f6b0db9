import { isDeepStrictEqual } from 'node:util';
import type { Case, Peer, Round } from '../contract.ts';
import type { BenchData } from './data.ts';
import type { DuckDbReport, DuckDbWish } from './duckdb-peer.ts';
import type { Format } from './duckdb-sql.ts';
import { findSorted } from './find.ts';
import type { ReadReport, ReadWish } from './read-peer.ts';
import type { ScopeId } from './scopes.ts';
import type { Searched, SearchSite } from './search-site.ts';
import { MAX_RESULTS, QUERIES, type Sizes } from './sizes.ts';

/** Peers in processes of their own, warm. */
export interface Peers {
  duckdb(wish: DuckDbWish): Promise<DuckDbReport>;
  read(wish: ReadWish): Promise<ReadReport>;
}

/** A side's round, and what a search took. */
interface Measured extends Round {
  readonly peakBytes?: number;
}

export interface SearchCase extends Case {
  readonly ours: () => Promise<Measured>;
  /** What one search goes through: files or bytes. */
  readonly amount: { readonly unit: 'files' | 'bytes'; readonly value: number };
}

/** Every comparison of the suite, in its order. */
export function searchCases(site: SearchSite, peers: Peers, data: BenchData, sizes: Sizes): readonly SearchCase[] {
  return [
    files(site, data, 'files80k', sizes.files80k),
    files(site, data, 'files1m', sizes.files1m),
    dataset(site, peers, data, 'csv'),
    dataset(site, peers, data, 'parquet'),
    dataset(site, peers, data, 'jsonl'),
    mail(site, peers, data, 'mbox', data.mail.mboxBytes),
    mail(site, peers, data, 'maildir', data.mail.maildirBytes),
  ];
}

function speed(name: ScopeId, peer: Peer): Pick<Case, 'name' | 'kind' | 'peer'> {
  return { name, kind: 'speed', peer };
}

function files(site: SearchSite, { places }: BenchData, scope: 'files80k' | 'files1m', count: number): SearchCase {
  return {
    ...speed(scope, 'find'),
    amount: { unit: 'files', value: count },
    async ours() {
      const found = await site.search('SEARCH_FILES', scope, QUERIES.files);
      return { ...measured(found), work: { count: found.count, first: found.results.map(({ id }) => id) } };
    },
    async theirs() {
      const { ms, paths } = await findSorted(places[scope], QUERIES.files);
      return { value: ms, work: { count: paths.length, first: paths.slice(0, MAX_RESULTS) } };
    },
  };
}

/** The texts of the data set are shorter than a snippet, so a snippet is its whole text. */
function dataset(site: SearchSite, peers: Peers, { places, rows }: BenchData, scope: Format): SearchCase {
  return {
    ...speed(scope, 'duckdb'),
    amount: { unit: 'bytes', value: rows[scope] },
    async ours() {
      const found = await site.search('SEARCH_DATASETS', scope, QUERIES.datasets);
      return {
        ...measured(found),
        work: { count: found.count, first: found.results.map(({ id, match_field, match_snippet }) => [id, match_field, match_snippet]) },
      };
    },
    async theirs() {
      const { ms, count, first } = await peers.duckdb({ format: scope, file: places[scope] });
      return { value: ms, work: { count, first } };
    },
  };
}

/** A read finds nothing, so the search is held against what the generator planted, and the read against the store's size. */
function mail(site: SearchSite, peers: Peers, { places, mail: facts }: BenchData, scope: 'mbox' | 'maildir', bytes: number): SearchCase {
  return {
    ...speed(scope, 'read'),
    amount: { unit: 'bytes', value: bytes },
    async ours() {
      const found = await site.search('SEARCH_EMAILS', scope, QUERIES.emails);
      const first = found.results.map(({ match_snippet }) => new RegExp(`${QUERIES.emails}-\\d+`).exec(match_snippet)?.[0]);
      const isRight = found.count === facts.matches && isDeepStrictEqual(first, facts.first);
      if (!isRight) throw new Error(`${scope}: ${found.count} messages found where ${facts.matches} were planted, or not in the order of their receipt`);
      return { ...measured(found), work: { bytes } };
    },
    async theirs() {
      const report = await peers.read({ store: scope, path: places[scope] });
      return { value: report.ms, work: { bytes: report.bytes } };
    },
  };
}

function measured({ ms, peakBytes }: Searched): Pick<Measured, 'value' | 'peakBytes'> {
  return { value: ms, peakBytes };
}
