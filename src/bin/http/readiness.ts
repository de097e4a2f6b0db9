import { probeWrite } from '../../adapters/redis/policy.ts';
import type { RedisConnection } from '../../adapters/redis/redis-connection.ts';
import type { Clock } from '../../core/clock.ts';
import type { KernelClient, MemoryGuard, QueueControl, TaskIndex } from '../../core/ports/index.ts';
import { checkHealth } from '../../observability/health-check.ts';
import type { Finding } from '../../observability/metrics-socket.ts';
import type { Readiness } from '../../surfaces/http/services.ts';

export interface ReadinessPorts {
  readonly connection: RedisConnection;
  /** Refuses where a push would be refused. */
  readonly guard: Pick<MemoryGuard, 'check'>;
  readonly kernel: Pick<KernelClient, 'ping'>;
  readonly index: Pick<TaskIndex, 'health'>;
  readonly queues: Pick<QueueControl, 'paused'>;
  /** What the running workers say of the directories that they hold. */
  readonly places: () => Promise<readonly Finding[]>;
  /** Which settings this process has. */
  readonly settings?: () => readonly Finding[];
  readonly clock: Clock;
}

/** Answers are shared for so long: anybody may ask. */
const SHARED_MS = 500;

/** Asks everything that a push needs, for real, and the workers of this data directory whether they can serve it. Never throws. */
export function createReadiness({
  connection,
  guard,
  kernel,
  index,
  queues,
  places,
  settings = () => [],
  clock,
}: ReadinessPorts): () => Promise<readonly Readiness[]> {
  let asked: { readonly at: number; readonly answer: Promise<readonly Readiness[]> } | undefined;
  const ask = (): Promise<readonly Readiness[]> =>
    Promise.all([
      checkHealth('redis', async () => {
        await probeWrite(connection);
        await guard.check();
        return 'takes writes, and has room for new work';
      }),
      checkHealth('kernel', async () => {
        await kernel.ping();
        return 'answers';
      }),
      checkHealth('task_index', async () => {
        const { state, tasks, problem } = index.health();
        if (state === 'failed') throw new Error(problem ?? 'has failed');
        return `${state}, ${tasks} tasks`;
      }),
      // A paused queue takes pushes: whoever paused it wants no more than that.
      checkHealth('queues', async () => {
        const paused = await queues.paused();
        return paused.length === 0 ? 'none is paused' : `paused: ${paused.join(', ')}`;
      }),
      checkHealth('places', async () => {
        const found = await places();
        const exchanged = found.filter(({ ok }) => !ok);
        if (exchanged.length > 0) throw new Error(exchanged.map(({ name, detail }) => `${name} ${detail}`).join('; '));
        return `${found.length} that workers hold stand at their paths`;
      }),
      ...settings().map(({ name, detail = '' }) => checkHealth(name, async () => detail)),
    ]);
  return () => {
    if (asked === undefined || clock.monotonic() - asked.at >= SHARED_MS) asked = { at: clock.monotonic(), answer: ask() };
    return asked.answer;
  };
}
