import { realpathSync } from 'node:fs';
import path from 'node:path';
import { DIALECTS } from '../src/content-search/backends/dialects.ts';
import { findBackends } from '../src/content-search/io/backend/find-backends.ts';
import type { SearchBackend } from '../src/core/ports/index.ts';
import { digestOf } from './content-search/found.ts';
import type { LibraryReport, LibraryWish } from './content-search/library.ts';
import { linuxTree } from './content-search/linux-tree.ts';
import { millionMatches } from './content-search/memory.ts';
import { foundBy, PEER_ARGUMENTS, searchPeer } from './content-search/peers.ts';
import { WANTED, type Wanted } from './content-search/wanted.ts';
import { wholeWay } from './content-search/whole-way.ts';
import { type Case, type Suite, spread } from './contract.ts';
import { type Running, startProcess } from './process.ts';

/** Which peers a backend is held against: each against the tool that it is, with the same order or without any. */
const PEERS_OF = { rg: ['rg_sorted', 'rg_threads'], ugrep: ['ugrep_sorted'] } as const satisfies Record<
  SearchBackend['kind'],
  readonly (keyof typeof PEER_ARGUMENTS)[]
>;

/**
 * Content search of the library, warm, against the bare tools on the source tree of Linux 6.1. A peer walks by itself and
 * its raw output is the end of its time; what we make of it to compare is not counted. Ours ends with the events in order.
 */
export const suite: Suite = {
  what: 'content search of the Linux tree at the library level, per backend, against ripgrep and ugrep',
  async open({ scale, data }) {
    const tree = realpathSync(linuxTree(data));
    // A trial takes one folder of the tree.
    const root = scale === 1 ? tree : path.join(tree, 'kernel');
    const { found } = await findBackends({ names: ['ugrep'], searchPath: process.env['PATH'] ?? '', dialects: DIALECTS });
    const library = await startProcess(new URL('./content-search/library.js', import.meta.url), []);
    await warmUp(
      library,
      root,
      found.map(({ backend }) => backend),
    );
    const times = new Map<string, number[]>();
    const remember = (name: string, ms: number): void => void times.set(name, [...(times.get(name) ?? []), ms]);
    const cases = found.flatMap(({ backend, file }) =>
      WANTED.flatMap((wanted) => PEERS_OF[backend.kind].map((peer): Case => caseOf({ library, root, backend, file, wanted, peer, remember }))),
    );
    return {
      cases,
      async metrics() {
        const memory: Record<string, number> = {};
        for (const { backend } of found) Object.assign(memory, await millionMatches(backend));
        const medians = [...times].map(([name, values]) => [`${name}_ms`, Math.round(spread(values.slice(1)).median)]);
        return { ...Object.fromEntries(medians), ...memory, ...(await wholeWay({ root, wanted: WANTED })) };
      },
      // The tree stays for the next run.
      close: () => library.stop(),
    };
  },
};

/** The library is measured as a server has it: after its code has been compiled, which takes a few searches of a large tree. */
async function warmUp(library: Running, root: string, backends: readonly SearchBackend[]): Promise<void> {
  for (let search = 0; search < WARM_UP; search += 1) {
    for (const backend of backends) await library.ask<LibraryReport>({ root, backend: backend.kind, wanted: WANTED[0] } satisfies LibraryWish);
  }
}
const WARM_UP = 3;

interface CaseParts {
  readonly library: Running;
  readonly root: string;
  readonly backend: SearchBackend;
  readonly file: string;
  readonly wanted: Wanted;
  readonly peer: keyof typeof PEER_ARGUMENTS;
  readonly remember: (name: string, ms: number) => void;
}

function caseOf({ library, root, backend, file, wanted, peer, remember }: CaseParts): Case {
  const name = `${wanted.name}_${backend.kind}`;
  return {
    name,
    kind: 'speed',
    peer,
    async ours() {
      const { ms, work, error } = await library.ask<LibraryReport>({ root, backend: backend.kind, wanted } satisfies LibraryWish);
      remember(name, ms);
      if (error !== undefined) throw new Error(error);
      return { value: ms, work };
    },
    async theirs() {
      const report = await searchPeer(file, PEER_ARGUMENTS[peer](wanted), root);
      remember(`${name}.${peer}`, report.ms);
      return { value: report.ms, work: digestOf(foundBy(report)) };
    },
  };
}
