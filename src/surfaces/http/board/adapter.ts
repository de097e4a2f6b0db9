import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Clock } from '../../../core/clock.ts';
import { cut, shownJob } from './shown-job.ts';
import type { BoardJob, BoardSource } from './source.ts';

const STATES: readonly string[] = ['active', 'waiting', 'prioritized', 'completed', 'failed', 'delayed'];
const MAX_LOG_LINES = 200;
const MAX_LOG_LINE = 500;

/**
 * A queue as Bull Board wants it. The jobs that it hands out can be read and nothing else: they have no `retry`, `remove`
 * or `updateData`, so that a route of a later Bull Board could not act on one even if it were let through.
 */
export function boardAdapter(source: BoardSource, clock: Clock) {
  const adapter = new BullMQAdapter(source.queue, {
    ...kindOf(source.queueName),
    externalJobUrl: (job) => linkOf(job.data),
  });
  // A finished task keeps its answer: running it again changes nothing. Tasks have no children to wait for.
  const own = { getName: () => source.name, allowCompletedRetries: false, getJobStatuses: () => STATES, ...readers(source, clock) };
  return Object.assign(adapter, own);
}

/** By the first word of a queue's name. */
const KINDS = {
  plan: { allowRetries: true, description: 'Plans; Retry runs one on from where it failed' },
  'index-maintenance': { allowRetries: false, description: 'Maintenance of content-search indexes; ask for more with `writ index`' },
  'message-index': { allowRetries: false, description: 'Changes of the messages; what failed can be sent again' },
} satisfies Record<string, { allowRetries: boolean; description: string }>;

const TASKS = { allowRetries: true, description: 'Tasks; Retry runs a failed one again' };

function kindOf(queue: string): { allowRetries: boolean; description: string } {
  return Object.entries(KINDS).find(([name]) => queue === name || queue.startsWith(`${name}@`))?.[1] ?? TASKS;
}

function readers(source: BoardSource, clock: Clock) {
  return {
    async getJob(id: string) {
      const job = await source.job(id);
      return job && readable(job, clock);
    },
    async getJobs(states: readonly string[], start = 0, end = 9) {
      return source.jobs(states, start, end, (job) => readable(job, clock));
    },
    async getJobLogs(id: string) {
      return (await source.logs(id, MAX_LOG_LINES)).map((line) => cut(line, MAX_LOG_LINE));
    },
    /** How many and since when, not from where. */
    async getWorkers() {
      const workers = await source.queue.getWorkers();
      return workers.filter(({ addr }) => addr !== undefined).map(({ id = '', age }) => ({ id, name: null, addr: 'local', age: Number(age) || 0 }));
    },
  };
}

function readable(job: BoardJob, clock: Clock) {
  const shown = shownJob(job, clock.now());
  const { state } = job;
  return { id: job.id, opts: {}, toJSON: () => shown, getState: () => state() };
}

function linkOf(data: unknown): { href: string; displayText: string } {
  const shown = typeof data === 'object' && data !== null ? data : {};
  if ('task' in shown && typeof shown.task === 'string') return { href: shown.task, displayText: 'Task' };
  if ('plan' in shown && typeof shown.plan === 'string') return { href: shown.plan, displayText: 'Plan' };
  if ('index' in shown && typeof shown.index === 'string') return { href: shown.index, displayText: 'Index' };
  return { href: '/docs', displayText: 'Docs' };
}
