import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { userSurroundings } from '../../../config/load.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import { createContentProcess } from '../../../src/content-search/process/client.ts';
import { contentProcessArgument, contentProcessEntry } from '../../../src/content-search/process/entry.ts';
import { contentSettings } from '../../../src/content-search/settings/content-settings.ts';

/** A parent that starts a search which does not end, and tells the pids of the process and of its backends. */
const [root = '', request = ''] = process.argv.slice(2);
const config = ConfigSchema.parse({ tools: { search: { enabled: true }, sandbox: { allowed_roots: [root] } } });
const tool = createContentProcess({
  entry: contentProcessEntry(),
  args: [contentProcessArgument({ settings: contentSettings(config, userSurroundings()), landlock: 0 })],
  defaultTimeoutMs: config.tools.search.default_timeout_ms,
});
const children = (pid: number): number[] => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number);
await tool.start();
void tool.search(JSON.parse(request), new AbortController().signal);
const [process_ = 0] = children(process.pid);
while (children(process_).length === 0) await sleep(20);
process.stdout.write(JSON.stringify([process_, ...children(process_)]));
