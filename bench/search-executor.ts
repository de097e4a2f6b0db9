import type { Suite, SuiteOptions } from './contract.ts';
import { type Running, startProcess } from './process.ts';
import { type Peers, searchCases } from './search-executor/cases.ts';
import { prepareData } from './search-executor/data.ts';
import type { DuckDbReport } from './search-executor/duckdb-peer.ts';
import { createFigures } from './search-executor/figures.ts';
import type { ReadReport } from './search-executor/read-peer.ts';
import { settingsToml } from './search-executor/scopes.ts';
import { openSearchSite } from './search-executor/search-site.ts';
import { type DataSets, openDataSets } from './search-executor/sets.ts';
import { sizesAt } from './search-executor/sizes.ts';

/**
 * Searches from push to signed answer, through a real worker and Redis, against a tool that does the same work bare: `find`
 * and `sort`, DuckDB, and for mail a plain read of the same bytes.
 */
export const suite: Suite = {
  what: 'searches end to end: file names against find, data sets against bare DuckDB, mail against a plain read',
  async open(options) {
    const closers: (() => Promise<unknown> | unknown)[] = [];
    const close = async (): Promise<void> => {
      for (const end of closers.splice(0).reverse()) await end();
    };
    try {
      const sizes = sizesAt(options.scale);
      const sets = openDataSets(options.data);
      closers.push(() => clear(sets, options));
      const data = await prepareData(sets, sizes, tell);
      const site = await openSearchSite(settingsToml(data.places));
      closers.push(() => site.close());
      const [duckdb, read] = [
        await startProcess(new URL('./search-executor/duckdb-peer.js', import.meta.url), []),
        await startProcess(new URL('./search-executor/read-peer.js', import.meta.url), []),
      ];
      closers.push(() => Promise.all([duckdb.stop(), read.stop()]));
      const figures = createFigures();
      return { cases: searchCases(site, peersOf(duckdb, read), data, sizes).map(figures.watch), metrics: async () => figures.metrics(), close };
    } catch (error) {
      await close();
      throw error;
    }
  },
};

function peersOf(duckdb: Running, read: Running): Peers {
  return { duckdb: (wish) => duckdb.ask<DuckDbReport>(wish), read: (wish) => read.ask<ReadReport>(wish) };
}

function clear(sets: DataSets, { keep }: SuiteOptions): void {
  if (keep) tell(`the data stays in ${sets.directory}; use it again with --data`);
  else sets.remove();
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
