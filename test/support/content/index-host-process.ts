import { randomUUID } from 'node:crypto';
import { createMemoryLane } from '../../../src/adapters/memory/maintenance-lane.ts';
import { DIALECTS } from '../../../src/content-search/backends/dialects.ts';
import { findBackends } from '../../../src/content-search/io/backend/find-backends.ts';
import { openIndexHosts } from '../../../src/content-search/ngram-index/serving/hosts.ts';
import type { HostArgument, HostAsk, HostNews } from './index-host.ts';

/** An index host as a process of its own, so that a test can kill it. */
const { settings, trees, backend: wanted } = JSON.parse(process.argv[2] ?? '') as HostArgument;
const { found } = await findBackends({ names: ['ugrep', 'rg'], searchPath: process.env['PATH'] ?? '', dialects: DIALECTS });
const backend = found.find(({ backend: { kind } }) => kind === wanted)?.backend;
if (backend === undefined) throw new Error(`${wanted} is not here`);
const tell = (news: HostNews): void => void process.send?.(news, undefined, undefined, () => undefined);
const lane = createMemoryLane({ newId: randomUUID, onFailed: (task, _job, error) => tell({ kind: 'failed', text: `${task.kind}: ${String(error)}` }) });
const hosts = openIndexHosts({
  settings,
  trees,
  backend,
  lane,
  report: (_root, event) => {
    if (event.kind === 'state') tell({ kind: 'state', state: event.after.state, reason: event.after.reason });
    else if (event.kind === 'task') tell({ kind: 'task', task: event.task, outcome: event.outcome, detail: event.detail, elapsedMs: event.elapsedMs });
    else if (event.kind === 'veto') tell({ kind: 'veto', veto: event.veto });
    else if (event.kind === 'armed' && !event.result.ok) tell({ kind: 'failed', text: `not armed: ${event.result.refused}` });
    else if (event.kind === 'records-lost') tell({ kind: 'failed', text: event.message });
  },
});
process.once('disconnect', () => process.exit(0));
process.on('message', (message) => {
  if (message === 'stop') void hosts.stop().then(() => process.exit(0));
  else if (isAsk(message))
    for (const host of hosts.hosts) void lane.submit({ keyHash: host.status().key_hash ?? '', kind: message.ask, reason: 'asked by a test' });
});
function isAsk(message: unknown): message is HostAsk {
  return typeof message === 'object' && message !== null && 'ask' in message;
}

try {
  await hosts.start();
  tell({ kind: 'ready' });
} catch (error) {
  tell({ kind: 'not-started', text: String(error) });
}
