import { realpathSync } from 'node:fs';
import path from 'node:path';
import { DIALECTS } from '../src/content-search/backends/dialects.ts';
import { findBackends } from '../src/content-search/io/backend/find-backends.ts';
import { childrenUserMs, type Ran, runNode } from './cli/command.ts';
import { type Installation, openInstallation } from './cli/installation.ts';
import { digestOf, type Found } from './content-search/found.ts';
import { linuxTree } from './content-search/linux-tree.ts';
import { foundBy, PEER_ARGUMENTS, searchPeer } from './content-search/peers.ts';
import { WANTED } from './content-search/wanted.ts';
import { type Case, type Round, type Suite, spread } from './contract.ts';

/** Runs of one side in a round: one alone is no figure. */
const RUNS = 10;

/** What is looked for: a few lines of a large tree. */
const RARE = WANTED[1];

/** Commands as processes, their start included, beside a `writ up` that has served for a moment. */
export const suite: Suite = {
  what: 'commands as processes of their own, against the start of a bare Node and against ripgrep on the Linux tree',
  async open({ scale, data }) {
    const tree = realpathSync(linuxTree(data));
    // A trial takes one folder of the tree.
    const root = scale === 1 ? tree : path.join(tree, 'kernel');
    const rg = await ripgrep();
    const site = await openInstallation(root);
    const figures = new Figures();
    const bare = (): Promise<Round> => figures.round('node', () => runNode(['-e', '0'], root));
    const againstNode = (name: string, args: () => readonly string[]): Case => ({
      ...{ name, kind: 'speed', peer: 'node' },
      ours: () => figures.round(name, () => site.writ(args())),
      theirs: bare,
    });
    return {
      cases: [
        againstNode('version', () => ['--version']),
        againstNode('status', () => ['status']),
        againstNode('push', () => ['push', site.task(), '--sign']),
        againstNode('search', () => ['search', '-F', RARE.pattern]),
        againstRg(site, rg, root),
      ],
      metrics: async () => figures.all(),
      close: () => site.close(),
    };
  },
};

/** What the commands took, beside the ratios. */
class Figures {
  readonly #ms = new Map<string, number[]>();
  readonly #userMs = new Map<string, number[]>();

  /** Some runs of one command, one after the other; the median of their times. */
  async round(name: string, run: () => Promise<Ran>): Promise<Round> {
    const times: number[] = [];
    const before = childrenUserMs();
    for (let n = 0; n < RUNS; n += 1) {
      const { ms, code, err } = await run();
      // A search of a trial's folder finds nothing.
      if (code !== 0 && (name !== 'search' || code !== 1)) throw new Error(`${name} ended with ${code}: ${err}`);
      times.push(ms);
    }
    remember(this.#userMs, name, (childrenUserMs() - before) / RUNS);
    const value = spread(times).median;
    remember(this.#ms, name, value);
    return { value, work: RUNS };
  }

  all(): Record<string, number> {
    const medians = (figures: Map<string, number[]>, unit: string): (readonly [string, number])[] =>
      [...figures].map(([name, values]) => [`${name}_${unit}`, Number(spread(values.slice(1)).median.toPrecision(4))]);
    return Object.fromEntries([...medians(this.#ms, 'ms'), ...medians(this.#userMs, 'user_ms')]);
  }
}

function remember(figures: Map<string, number[]>, name: string, value: number): void {
  figures.set(name, [...(figures.get(name) ?? []), value]);
}

function againstRg(site: Installation, rg: string, root: string): Case {
  return {
    ...{ name: 'search', kind: 'speed', peer: 'rg_threads' },
    async ours() {
      const { ms, out, code, err } = await site.writ(['search', '-F', RARE.pattern]);
      if (code !== 0 && code !== 1) throw new Error(err);
      return { value: ms, work: digestOf(printed(out)) };
    },
    async theirs() {
      const report = await searchPeer(rg, PEER_ARGUMENTS.rg_threads(RARE), root);
      return { value: report.ms, work: digestOf(foundBy(report)) };
    },
  };
}

/** The lines that `writ search` printed: path:line:text. */
function printed(out: string): Found[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, file = '', number, found = ''] = /^([^:]+):(\d+):(.*)$/.exec(line) ?? [];
      return { path: file, line: Number(number), text: found };
    });
}

async function ripgrep(): Promise<string> {
  const { found } = await findBackends({ names: ['rg'], searchPath: process.env['PATH'] ?? '', dialects: DIALECTS });
  const [one] = found;
  if (one === undefined) throw new Error('ripgrep is not here: npm ci brings it');
  return one.file;
}
