import type { ContentSearch } from '../../core/ports/index.ts';
import { openContentTool } from '../io/tool.ts';
import type { ContentProcessArgument } from './entry.ts';
import type { ContentProcessFacts, FromProcess, ToProcess } from './messages.ts';

const running = new Map<number, AbortController>();
// Before anything is waited for: a parent that was killed while this process starts is told of once, or was before.
process.once('disconnect', endWithParent);
if (!process.connected) endWithParent();

/** The process of content searches: the tool, for the role that started it. */
const { settings, landlock } = JSON.parse(process.argv[2] ?? '') as ContentProcessArgument;
const { tool, backend, problem } = await openContentTool(settings, { confined: landlock > 0 });
serveContentSearches(tool, { landlock, ...(backend === undefined ? {} : { backend }), ...(problem === undefined ? {} : { problem }) });

/** The inside of the process of content searches: says what it has found, answers searches, and ends with its parent. */
function serveContentSearches(tool: ContentSearch, facts: ContentProcessFacts): void {
  const send = (message: FromProcess): void => void process.send?.(message, undefined, undefined, () => undefined);

  async function search(id: number, request: unknown): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    const outcome = await tool.search(request, controller.signal);
    running.delete(id);
    send({ type: 'outcome', id, outcome });
  }

  process.on('message', (message: ToProcess) => {
    if (message.type === 'search') void search(message.id, message.request);
    else running.get(message.id)?.abort();
  });
  send({ type: 'ready', facts });
}

function endWithParent(): void {
  for (const controller of running.values()) controller.abort();
  process.exit(0);
}
