import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createIndexBuilder } from '../../src/content-search/ngram-index/serving/build-worker.ts';
import { searchedTrees } from '../../src/content-search/ngram-index/serving/configured-indexes.ts';
import { indexSettings, toolSettings } from './settings.ts';

/** One build, from nothing to a durable segment; prints what it was. Whoever starts it takes the time, start of Node included. */
const [root = '', directory = ''] = process.argv.slice(2);
mkdirSync(path.join(directory, 'index'), { recursive: true, mode: 0o700 });
const settings = indexSettings(directory);
const { allowedRoots, deniedPatterns } = searchedTrees(toolSettings(root, settings));
const builder = createIndexBuilder({
  indexed: {
    ...{ root, hidden: false, noIgnore: false, denied: deniedPatterns, allowedRoots, globalIgnore: null },
    ...{ ngramK: settings.ngramK, maxTokenizedBytes: settings.maxTokenizedBytes },
  },
  directory: path.join(directory, 'index'),
  keyHash: '00'.repeat(32),
  pace: settings.build,
  shutdownTimeoutMs: settings.shutdownTimeoutMs,
  limits: () => ({ maxFiles: 0, maxBytes: 0, roomBytes: settings.maxDbBytes, lastRatio: null }),
});
await builder.start();
builder.setBoost(true);
const outcome = await builder.run({ kind: 'build', into: { generation: 1, delta: 0 } }, { signal: new AbortController().signal, onProgress: () => undefined });
await builder.stop();
if (outcome.outcome !== 'done') throw new Error(`the build ended with ${JSON.stringify(outcome)}`);
const { userCPUTime, systemCPUTime } = process.resourceUsage();
process.stdout.write(JSON.stringify({ cpuMs: Math.round((userCPUTime + systemCPUTime) / 1000), bytes: outcome.bytes, documents: outcome.documents }));
