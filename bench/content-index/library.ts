import { NO_INDEX } from '../../src/content-search/io/settings.ts';
import { openContentTool } from '../../src/content-search/io/tool.ts';
import { digestOf } from '../content-search/found.ts';
import { indexSettings, toolSettings } from './settings.ts';

/** The library in a process of its own, as servers have it: one tool with the index, one without, over the same tree. */
export interface LibraryWish {
  readonly pattern: string;
  readonly indexed: boolean;
  /** The host may be too busy for one search. */
  readonly mayBypass?: boolean;
}
export interface LibraryReport {
  readonly ms: number;
  readonly work: ReturnType<typeof digestOf>;
}

const [root = '', cacheRoot = ''] = process.argv.slice(2);
const settings = toolSettings(root, indexSettings(cacheRoot));
const indexed = await openContentTool(settings, { confined: true });
const plain = await openContentTool({ ...settings, index: NO_INDEX }, { confined: true });

process.on('message', (wish: LibraryWish) => void serve(wish));
process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

async function serve({ pattern, indexed: withIndex, mayBypass = false }: LibraryWish): Promise<void> {
  const { tool } = withIndex ? indexed : plain;
  const start = performance.now();
  const outcome = await tool.search({ pattern }, new AbortController().signal);
  const ms = performance.now() - start;
  if (!outcome.ok) throw new Error(outcome.error.message);
  if (withIndex && !mayBypass && outcome.run.indexBypass !== null) throw new Error(`the index was not used: ${outcome.run.indexBypass}`);
  const found = outcome.answer.matches.map(({ data }) => ({ path: data.path.text, line: data.line_number, text: data.lines.text }));
  process.send?.({ ms, work: digestOf(found) } satisfies LibraryReport);
}
