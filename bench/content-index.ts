import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DIALECTS } from '../src/content-search/backends/dialects.ts';
import { findBackends } from '../src/content-search/io/backend/find-backends.ts';
import { changes } from './content-index/changes.ts';
import type { LibraryReport, LibraryWish } from './content-index/library.ts';
import { type Built, buildIndex, cindex, csearch } from './content-index/peers.ts';
import { ASKED, type Asked } from './content-index/wanted.ts';
import { digestOf } from './content-search/found.ts';
import { linuxTree } from './content-search/linux-tree.ts';
import { foundBy, PEER_ARGUMENTS, searchPeer } from './content-search/peers.ts';
import { wholeWay } from './content-search/whole-way.ts';
import { type Case, type Suite, spread } from './contract.ts';
import { type Running, startProcess } from './process.ts';

/**
 * The index of content search on the source tree of Linux 6.1, warm, in the default mode of requests: against ripgrep with
 * threads, which has no index; against csearch and cindex, which have one; against ourselves without it.
 */
export const suite: Suite = {
  what: 'content search with the index on the Linux tree, against ripgrep, csearch, cindex and itself without the index',
  async open({ scale, data }) {
    const tree = realpathSync(linuxTree(data));
    // A trial takes one folder of the tree.
    const root = scale === 1 ? tree : path.join(tree, 'kernel');
    const work = mkdtempSync(path.join(os.tmpdir(), 'writ-bench-index-'));
    const cacheRoot = path.join(work, 'cache');
    mkdirSync(cacheRoot, { mode: 0o700 });
    const ours = await buildIndex(root, path.join(work, 'build'));
    const theirs = await cindex(root, path.join(work, 'csearchindex'));
    const host = await startProcess(new URL('./content-index/host.js', import.meta.url), [root, cacheRoot]);
    const start = await host.ask<{ tasks: readonly { task: string; ms: number }[] }>({ ask: 'build' });
    const library = await startProcess(new URL('./content-index/library.js', import.meta.url), [root, cacheRoot]);
    await warmUp(library);
    const times = new Map<string, number[]>();
    const remember = (name: string, ms: number): void => void times.set(name, [...(times.get(name) ?? []), ms]);
    const site: Site = { root, rg: await ripgrep(), library, csearchIndex: theirs.file, remember };
    return {
      cases: [
        ...[ASKED[0], ASKED[1], ASKED[3]].flatMap((asked) => [againstRg(site, asked), againstCsearch(site, asked)]),
        { ...againstCsearch(site, FITTING), name: 'common' },
        againstOurselves(site, ASKED[2]),
        sizeCase(ours, theirs),
        buildCase(root, work),
      ],
      async metrics() {
        const medians = [...times].map(([name, values]) => [`${name}_ms`, Number(spread(values.slice(1)).median.toPrecision(4))]);
        const { maxRssBytes } = await host.ask<{ maxRssBytes: number }>({ ask: 'memory' });
        return {
          ...Object.fromEntries(medians),
          ...(await wholeWays(root, cacheRoot)),
          ...(await changes(site.library, root)),
          index_bytes: ours.bytes,
          index_files: ours.documents,
          build_ms_host: start.tasks.find(({ task }) => task === 'build')?.ms ?? 0,
          build_cpu_ms: ours.cpuMs,
          host_max_rss_bytes: maxRssBytes,
        };
      },
      async close() {
        await library.stop();
        await host.stop();
        rmSync(work, { recursive: true, force: true });
      },
    };
  },
};

/** Common, and all of its lines fit into an answer: those of `struct device` do not, which are 61,880. */
const FITTING: Asked = { name: 'fitting', pattern: 'platform_get_irq' };

interface Site {
  readonly root: string;
  /** The program. */
  readonly rg: string;
  readonly library: Running;
  readonly csearchIndex: string;
  readonly remember: (name: string, ms: number) => void;
}

/** End to end, over HTTP and on the command line, with the index and without it. */
async function wholeWays(root: string, cacheRoot: string): Promise<Record<string, number>> {
  const wanted = ASKED.map((asked) => ({ ...asked, fixedStrings: false }));
  const ways = { indexed: await wholeWay({ root, wanted, cacheRoot }), unindexed: await wholeWay({ root, wanted, cacheRoot: null }) };
  return Object.fromEntries(Object.entries(ways).flatMap(([name, figures]) => Object.entries(figures).map(([figure, ms]) => [`${name}.${figure}`, ms])));
}

async function ripgrep(): Promise<string> {
  const { found } = await findBackends({ names: ['rg'], searchPath: process.env['PATH'] ?? '', dialects: DIALECTS });
  const [one] = found;
  if (one === undefined) throw new Error('ripgrep is not here: npm ci brings it');
  return one.file;
}

/** As a server has it: after its code has been compiled. */
async function warmUp(library: Running): Promise<void> {
  for (let search = 0; search < WARM_UP; search += 1) {
    for (const { pattern } of ASKED) for (const indexed of [true, false]) await library.ask<LibraryReport>({ pattern, indexed } satisfies LibraryWish);
  }
}
const WARM_UP = 5;

async function ours({ library, remember }: Site, { name, pattern }: Asked, indexed = true) {
  const { ms, work } = await library.ask<LibraryReport>({ pattern, indexed } satisfies LibraryWish);
  remember(`${name}_${indexed ? 'indexed' : 'unindexed'}`, ms);
  return { value: ms, work };
}

function againstRg(site: Site, asked: Asked): Case {
  return {
    ...{ name: asked.name, kind: 'speed', peer: 'rg_threads' },
    ours: () => ours(site, asked),
    async theirs() {
      const report = await searchPeer(site.rg, PEER_ARGUMENTS.rg_threads({ ...asked, fixedStrings: asked.isExpression !== true }), site.root);
      site.remember(`${asked.name}_rg_threads`, report.ms);
      return { value: report.ms, work: digestOf(foundBy(report)) };
    },
  };
}

function againstCsearch(site: Site, asked: Asked): Case {
  return {
    ...{ name: asked.name, kind: 'speed', peer: 'csearch' },
    async ours() {
      const { value, work } = await ours(site, asked);
      return { value, work: work.events };
    },
    async theirs() {
      const { ms, lines } = await csearch(asked.pattern, site.csearchIndex);
      site.remember(`${asked.name}_csearch`, ms);
      return { value: ms, work: lines };
    },
  };
}

/** Search-rules 24: where the index can help least, it must not cost. */
function againstOurselves(site: Site, asked: Asked): Case {
  return { ...{ name: asked.name, kind: 'speed', peer: 'unindexed', rounds: 25 }, ours: () => ours(site, asked), theirs: () => ours(site, asked, false) };
}

function sizeCase({ bytes, documents }: Built, theirs: { readonly file: string }): Case {
  const work = documents > 0;
  return {
    ...{ name: 'index', kind: 'size', peer: 'csearch' },
    ours: async () => ({ value: bytes, work }),
    theirs: async () => ({ value: statSync(theirs.file).size, work }),
  };
}

function buildCase(root: string, work: string): Case {
  return {
    ...{ name: 'build', kind: 'speed', peer: 'cindex', rounds: 3 },
    ours: async () => ({ value: (await buildIndex(root, path.join(work, 'build'))).ms, work: true }),
    theirs: async () => ({ value: (await cindex(root, path.join(work, 'csearchindex-again'))).ms, work: true }),
  };
}
