import { createHttpTool } from '../../../src/adapters/http-tool/index.ts';
import { createToolJournal } from '../../../src/adapters/sqlite/tool-journal/tool-journal.ts';
import type { HttpBinding } from '../../../src/contracts/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Task } from '../../../src/core/ports/index.ts';
import { createToolExecutor } from '../../../src/executors/tool/index.ts';
import { answer, deliver } from '../../support/tools.ts';

/** A worker process of its own over a journal; its one argument says what it does. */
export interface ChildOrder {
  readonly directory: string;
  readonly binding: HttpBinding;
  readonly tasks: readonly Task[];
  /** Where it kills itself. */
  readonly at?: string;
}

const order: ChildOrder = JSON.parse(process.argv[2] ?? '');
const journal = createToolJournal({ directory: order.directory });
await journal.start();
const opened = createHttpTool(order.binding, { environment: () => undefined });
const executor = createToolExecutor({
  tools: new Map([[order.binding.tool, opened.tool]]),
  journal,
  clock: systemClock,
  onPoint: (point) => {
    if (point === order.at) process.kill(process.pid, 'SIGKILL');
  },
});
const ends = await Promise.all(order.tasks.map((task) => answer(deliver(executor, task))));
process.send?.({ ends });
await opened.close();
await journal.stop();
process.disconnect();
