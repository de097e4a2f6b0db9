import type { Random } from '../../test/support/random.ts';
import { type Costs, KINDS, type Kind, type KindCosts } from './costs.ts';
import type { Load } from './load.ts';
import type { Needs, Setup } from './model.ts';

/** What a task waits for, one after the other; each has servers that do one thing at a time. Seconds, by the kind of the task. */
interface Station {
  readonly name: string;
  readonly servers: number;
  readonly meanS: Readonly<Record<Kind, number>>;
}

/** What a setup does with the peak, when tasks come by chance and take by chance longer or shorter. Seconds. */
export interface Simulated {
  readonly setup: string;
  readonly tasks: number;
  /** From the push to the answer. */
  readonly p50S: number;
  readonly p99S: number;
  /** Where tasks wait longest (by the 99th percentile), and how long. */
  readonly slowest: { readonly name: string; readonly p99S: number };
  /** Whether answers take no longer in the second half than in the first: a setup that is too small falls behind for ever. */
  readonly carries: boolean;
}

const MICROS = 1e6;
/** A little above what chance makes of two halves. */
const SAME = 1.5;

/** The setup that the model asks for, and the same without one of its pools. */
export function simulate(load: Load, costs: Costs, { setup, peakTasksPerSecond }: Needs, tasks: number, random: Random): readonly Simulated[] {
  const kinds = KINDS.flatMap((kind) => (load.mix[kind] > 0 ? [{ kind, share: load.mix[kind] }] : []));
  const arrivals = arrivalsAt(peakTasksPerSecond, tasks, random);
  const drawn = arrivals.map(() => draw(kinds, random));
  const run = (name: string, one: Setup): Simulated => pass(name, stationsOf(costs, one), arrivals, drawn, random);
  const { workers, pools } = setup;
  const smaller = { ...setup, pools: pools - 1, workers: workers - Math.ceil(workers / pools) };
  return [run('as asked for', setup), ...(pools > 1 ? [run('without one of its pools', smaller)] : [])];
}

/** In the order in which a task meets them. Threads beside the event loops have processors of their own here. */
function stationsOf({ kinds }: Costs, { apis, masters, workers, searchSlots, pools }: Setup): readonly Station[] {
  const means = (micros: (costs: KindCosts) => number) => Object.fromEntries(KINDS.map((kind) => [kind, micros(kinds[kind]) / MICROS])) as Record<Kind, number>;
  return [
    { name: 'event loops of the APIs', servers: apis, meanS: means(({ api_loop_us }) => api_loop_us.median) },
    { name: 'event loop of the kernel', servers: 1, meanS: means(({ kernel_loop_us }) => kernel_loop_us.median) },
    { name: 'Redis', servers: masters, meanS: means(({ redis_us }) => redis_us.median) },
    { name: 'event loops of the workers', servers: workers, meanS: means(({ worker_loop_us }) => worker_loop_us.median) },
    { name: 'search processes', servers: workers * searchSlots, meanS: means(({ search_us }) => search_us.median) },
    { name: 'journals', servers: pools, meanS: means(({ commits, commit_us }) => commits.median * commit_us.median) },
  ];
}

/** Tasks that come by themselves (Poisson). */
function arrivalsAt(perSecond: number, tasks: number, random: Random): readonly number[] {
  let now = 0;
  return Array.from({ length: tasks }, () => {
    now += exponential(1 / perSecond, random);
    return now;
  });
}

/** Through one station after the other: nobody comes back, so each can be done for all tasks before the next. */
function pass(setup: string, stations: readonly Station[], arrivals: readonly number[], kinds: readonly Kind[], random: Random): Simulated {
  let ready = [...arrivals];
  let slowest = { name: '', p99S: 0 };
  for (const { name, servers, meanS } of stations) {
    const done = [...ready];
    const waits: number[] = [];
    // A heap: when each server is free, the soonest first.
    const free = new Float64Array(servers);
    for (const task of ready.map((_, at) => at).sort((a, b) => (ready[a] ?? 0) - (ready[b] ?? 0))) {
      const came = ready[task] ?? 0;
      const kind = kinds[task];
      const serviceS = exponential(kind === undefined ? 0 : meanS[kind], random);
      if (serviceS === 0) continue;
      const begun = Math.max(came, free[0] ?? 0);
      waits.push(begun - came);
      takeFirst(free, begun + serviceS);
      done[task] = begun + serviceS;
    }
    const p99S = percentile(waits, 0.99);
    if (p99S >= slowest.p99S) slowest = { name, p99S };
    ready = done;
  }
  const took = ready.map((end, at) => end - (arrivals[at] ?? 0));
  const half = Math.floor(took.length / 2);
  const carries = percentile(took.slice(half), 0.5) <= SAME * percentile(took.slice(0, half), 0.5);
  return { setup, tasks: took.length, p50S: percentile(took, 0.5), p99S: percentile(took, 0.99), slowest, carries };
}

/** The soonest is busy until then; the heap is one again. */
function takeFirst(heap: Float64Array, until: number): void {
  const value = (at: number): number => heap[at] ?? Number.POSITIVE_INFINITY;
  let at = 0;
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    const sooner = value(child + 1) < value(child) ? child + 1 : child;
    if (value(sooner) >= until) break;
    heap[at] = value(sooner);
    at = sooner;
  }
  heap[at] = until;
}

function exponential(mean: number, random: Random): number {
  return -mean * Math.log(1 - random.number());
}

function draw(kinds: readonly { readonly kind: Kind; readonly share: number }[], random: Random): Kind {
  let left = random.number();
  for (const { kind, share } of kinds) {
    left -= share;
    if (left < 0) return kind;
  }
  return kinds.at(-1)?.kind ?? 'move';
}

function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
