import { randomUUID } from 'node:crypto';
import { createMemoryLane } from '../../src/adapters/memory/maintenance-lane.ts';
import { DIALECTS } from '../../src/content-search/backends/dialects.ts';
import { findBackends } from '../../src/content-search/io/backend/find-backends.ts';
import { searchedTrees } from '../../src/content-search/ngram-index/serving/configured-indexes.ts';
import { openIndexHosts } from '../../src/content-search/ngram-index/serving/hosts.ts';
import { indexSettings, toolSettings } from './settings.ts';

/** The index host in a process of its own, as servers have it: `build` is answered when the index serves, `memory` with its peak. */
const [root = '', cacheRoot = ''] = process.argv.slice(2);
const settings = indexSettings(cacheRoot);
const { found } = await findBackends({ names: ['rg'], searchPath: process.env['PATH'] ?? '', dialects: DIALECTS });
const backend = found[0]?.backend;
if (backend === undefined) throw new Error('ripgrep is not here');
let serves: () => void = () => undefined;
const serving = new Promise<void>((resolve) => {
  serves = resolve;
});
const tasks: { readonly task: string; readonly ms: number; readonly detail: string }[] = [];
const hosts = openIndexHosts({
  settings,
  trees: searchedTrees(toolSettings(root, settings)),
  backend,
  lane: createMemoryLane({ newId: randomUUID }),
  report(_, event) {
    if (event.kind === 'task') tasks.push({ task: event.task, ms: event.elapsedMs, detail: event.detail });
    if (event.kind === 'state' && event.after.state === 'COMPLETE') serves();
  },
});

const ANSWERS: Readonly<Record<string, () => Promise<object>>> = {
  build: async () => {
    await hosts.start();
    await serving;
    return { tasks };
  },
  memory: async () => ({ maxRssBytes: process.resourceUsage().maxRSS * 1024 }),
};

process.on('message', ({ ask }: { ask: string }) => void ANSWERS[ask]?.().then((answer) => process.send?.(answer)));
process.on('SIGTERM', () => void hosts.stop().then(() => process.exit(0)));
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
