import { z } from 'zod';

/** The kinds of work that a mix is made of. A step is one file step of a plan of ten. */
export const KINDS = ['move', 'search', 'content', 'step'] as const;
export type Kind = (typeof KINDS)[number];

const Figure = z.object({ median: z.number(), min: z.number(), max: z.number() });
/** A measured figure: the median of its rounds, with the least and the greatest. */
export type Figure = z.infer<typeof Figure>;

/** What one task costs, from the push over HTTP with a lease of the kernel to its answer in the ledger. */
export const KindCosts = z.object({
  /** Microseconds of CPU: threads that do one thing at a time, and everything beside them. */
  worker_loop_us: Figure,
  worker_threads_us: Figure,
  /** Processes that a worker starts for searches. */
  search_us: Figure,
  api_loop_us: Figure,
  api_threads_us: Figure,
  kernel_loop_us: Figure,
  kernel_threads_us: Figure,
  redis_us: Figure,
  /** Redis memory of a task that waits, and of one that has ended and is remembered. */
  redis_open_bytes: Figure,
  redis_finished_bytes: Figure,
  /** Disk: journals, the kernel's records with the audit log, the task index. */
  journal_bytes: Figure,
  kernel_bytes: Figure,
  index_bytes: Figure,
  /** Commits of the file journal, and the time of the disk in them. */
  commits: Figure,
  commit_us: Figure,
});
export type KindCosts = z.infer<typeof KindCosts>;

export const Costs = z.object({
  measured_at: z.string(),
  version: z.string(),
  machine: z.object({ cores: z.number(), cpu: z.string(), node: z.string(), load_average: z.number() }),
  rounds: z.number(),
  kinds: z.object({ move: KindCosts, search: KindCosts, content: KindCosts, step: KindCosts }),
  /** Resident bytes of a role under this load, and of Redis without any task. */
  resident: z.object({ worker: Figure, search: Figure, api: Figure, kernel: Figure, redis: Figure }),
  /** One small write made durable where the data directory lies, alone. */
  fsync_us: Figure,
});
export type Costs = z.infer<typeof Costs>;

/** Shares of the kinds; they sum to 1. */
export type Mix = Readonly<Record<Kind, number>>;

/** The cost of the mean task of a mix, by the medians. */
export function meanTask(costs: Costs, mix: Mix): Readonly<Record<keyof KindCosts, number>> {
  const names = Object.keys(costs.kinds.move) as (keyof KindCosts)[];
  const mean = (name: keyof KindCosts): number => KINDS.reduce((sum, kind) => sum + mix[kind] * costs.kinds[kind][name].median, 0);
  const all = Object.fromEntries(names.map((name) => [name, mean(name)])) as Record<keyof KindCosts, number>;
  // The time of a commit counts by how many there are of it.
  const commitTime = KINDS.reduce((sum, kind) => sum + mix[kind] * costs.kinds[kind].commits.median * costs.kinds[kind].commit_us.median, 0);
  return { ...all, commit_us: all.commits === 0 ? 0 : commitTime / all.commits };
}
