import type { PipelineDeps } from '../../processors/context.ts';
import { createHeartbeat } from '../../processors/heartbeat.ts';
import { createInFlight } from '../../processors/in-flight.ts';
import { createJournalTrimmer } from '../../processors/journal-trimmer.ts';
import { createLedgerRecovery } from '../../processors/ledger-recovery.ts';
import { createLocalSteps, type LocalQueue } from '../../processors/local-steps.ts';
import { processTask } from '../../processors/pipeline.ts';
import { createQueueWorker, type QueueWorker } from '../../processors/queue-worker.ts';
import { createRepeatedFaults } from '../../processors/repeated-faults.ts';
import { byCapability } from '../../processors/run-executor.ts';
import { createSlots } from '../../processors/slots.ts';
import { LOCK_TIMES, QUEUE_PREFIX, workerOptions } from '../../queues/catalog.ts';
import { ONE_SHARD } from '../../queues/shards.ts';
import type { Lifecycle } from '../../src/core/lifecycle.ts';
import { isOutage } from '../../src/core/outage.ts';
import type { HostMemory, InstanceRegistry, PlanJournal, TaskExecutor, ToolJournal } from '../../src/core/ports/index.ts';
import { createFileExecutor } from '../../src/executors/file/index.ts';
import { createToolExecutor } from '../../src/executors/tool/index.ts';
import { createAuthorities, createResultReader, createResultSigner, createRevocationMirror, fixedKeyring, type TokenFile } from '../../src/lease/index.ts';
import type { Host } from './machine.ts';
import { servePlans } from './plan-host.ts';
import { RETENTION_MS } from './scenario.ts';
import { SimProcess } from './scheduler.ts';
import type { SeamContext } from './seams.ts';
import { DATA, EXECUTOR_KEY, ISSUER, KERNEL_KEY, OTHER, TOOL_QUEUE } from './tasks.ts';
import { cheapEd25519 } from './twins/crypto.ts';
import { createFileSystemTwin } from './twins/file-system.ts';
import { leftJobsFor, parkedJobsFor, planJobsFor } from './twins/plans.ts';
import { openWorkerTwin } from './twins/queue-worker.ts';
import { fileJournalOf, portOf } from './twins/stores.ts';
import { remote } from './world.ts';

const MAX_RUN_MS = 20_000;
const HEARTBEAT_MS = 3_000;
const DRAIN_MS = 3_000;
const TRIM_MS = 2_000;

/** A worker process that starts now; answers it, and how it is told to stop. */
export function startWorker(host: Host, name: string): { readonly process: SimProcess; readonly stop: () => Promise<void> } {
  const process = new SimProcess(name, host.world.scheduler);
  host.processes.push(process);
  const workers: Lifecycle[] = [];
  const boot = async (): Promise<void> => {
    try {
      workers.push(...(await bootWorker(host, process)));
    } catch (error) {
      host.world.trace.say(host.world.now, name, `cannot start: ${String(error)}`);
      host.world.kill(process);
    }
  };
  host.world.scheduler.at(0, process, () => void boot());
  return {
    process,
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      host.world.kill(process);
    },
  };
}

async function bootWorker(host: Host, process: SimProcess): Promise<readonly Lifecycle[]> {
  const { world, redis, stores, seams } = host;
  const context: SeamContext = { world, process };
  const { clock } = process;
  const through = <T>(seam: ((part: T, context: SeamContext) => T) | undefined, part: T): T => (seam === undefined ? part : seam(part, context));

  const ledger = through(seams.ledger, remote(world, process, 'redis', 'ledger', redis.ledger));
  const jobs = planJobsFor(world, process, redis);
  const promote = through(seams.promote, parkedJobsFor(world, process, redis));
  const faults = createRepeatedFaults();
  const signer = createResultSigner(EXECUTOR_KEY, cheapEd25519);
  const presence = remote(world, process, 'redis', 'presence', redis.presence);
  const feed = remote(world, process, 'redis', 'revocations', redis.feed);
  const leaseKeys = fixedKeyring([KERNEL_KEY]);
  const revocations = createRevocationMirror({ path: 'revocations', open: async () => tokenFile(host, process), keyring: leaseKeys, ed25519: cheapEd25519 });
  const resultKeys = fixedKeyring([EXECUTOR_KEY]);
  const results = createResultReader({ keyring: resultKeys, ed25519: cheapEd25519 });
  const authorities = createAuthorities({ leaseKeys, ed25519: cheapEd25519, revocations, feed, clock, issuer: ISSUER, maxTtl: 86_400 });
  const started = new Map<string, number>();
  const instances = through(seams.instances, instancesOf(host, process));
  const file = createFileExecutor({
    bases: [
      { id: 'data', path: DATA },
      { id: 'other', path: OTHER },
    ],
    fileSystem: through(seams.fileSystem, createFileSystemTwin(world, process, host.disk)),
    journal: watchIntents(through(seams.fileJournal, fileJournalOf(stores.file, process)), ({ taskId, authority }) =>
      host.onIntent(taskId, process, authority.exp, started.get(taskId) ?? 0),
    ),
    instances,
    onPoint: (point) => host.onReached(`point:${point}`),
    onRecovery: (decision) => host.onReached(`recovery:${decision}`),
    limits: { maxRunMs: MAX_RUN_MS, maxBytes: 2 ** 40, hashMaxBytes: 2 ** 20, vaultQuotaBytes: 2 ** 40 },
    clock,
  });
  const tool = createToolExecutor({
    tools: host.tools.boundFor(process),
    journal: watchIntents(through(seams.toolJournal, portOf(stores.tool, process)), ({ taskId, authority }) =>
      host.onIntent(taskId, process, authority.exp, started.get(taskId) ?? 0),
    ),
    clock,
  });
  const memories = [file.memory, tool.memory].map((memory) => through(seams.memory, memory));
  const recovery = createLedgerRecovery({
    ledger,
    memories,
    republishRevocations: () => revocations.catchUp(feed),
    newGeneration: () => `generation-${world.now}`,
    clock,
    onRestored: () => host.onReached('ledger:restored'),
    onError: () => undefined,
  });
  const executors = [file, tool].map((executor, at) => through(seams.executor, { ...executor, ...withMemory(memories[at]) }));
  const open = through(
    seams.openWorker,
    openWorkerTwin(world, process, (name) => redis.queue(name), seams.looksForLate),
  );
  const serve = (queue: string, executor: TaskExecutor): QueueWorker => {
    const inFlight = createInFlight();
    inFlights.push(inFlight);
    const deps: PipelineDeps = through(seams.deps, {
      instance: process.name,
      clock,
      executorOf: byCapability([poisoned(host, process, executor)]),
      authorities,
      ledger,
      results,
      presence,
      signer,
      inFlight,
      faults,
      promote,
      recoverLedger: recovery.recover,
      report: ({ jobId, end, code, message, error }) =>
        host.onEnd(jobId, endWord(end, message, error), `${code ?? ''} ${message ?? ''} ${error === undefined ? '' : String(error)}`, process),
      around(delivery, work) {
        started.set(taskIdOf(delivery.data), world.now);
        return work();
      },
      wakePlan: (planSha256) => jobs.promote(planSha256),
    });
    const slots = through(seams.slots, createSlots(world.scenario.concurrency));
    locals.push({ queue, prefix: QUEUE_PREFIX, slots, deps: through(seams.localDeps, deps) });
    const { lockMs, renewMs, stalledMs } = LOCK_TIMES;
    const options = {
      queue,
      worker: { ...workerOptions({ lockMs, renewMs, stalledMs }, world.scenario.concurrency), connection: {} },
      drainMs: DRAIN_MS,
      onError: () => undefined,
    };
    return createQueueWorker(options, {
      clock,
      inFlight,
      open,
      slots,
      handle: (delivery, running, tries) => processTask(delivery, running, tries, deps),
    });
  };
  const inFlights: ReturnType<typeof createInFlight>[] = [];
  const locals: LocalQueue[] = [];
  await file.start();
  await revocations.start();
  const heartbeat = createHeartbeat({
    presence,
    instance: () => process.name,
    intervalMs: HEARTBEAT_MS,
    lockMs: LOCK_TIMES.lockMs,
    onError: () => undefined,
  });
  await heartbeat.start();
  await redis.channels.onCancel((taskId) =>
    world.scheduler.at(0.2, process, () => {
      for (const inFlight of inFlights) inFlight.stop({ taskId }, 'cancelled');
    }),
  );
  const [fileExecutor, toolExecutor] = executors;
  if (fileExecutor === undefined || toolExecutor === undefined) throw new Error('two executors are served');
  const tasks = [serve('file', fileExecutor), serve(TOOL_QUEUE, toolExecutor)];
  const local = through(
    seams.local,
    createLocalSteps({ queues: locals, shards: ONE_SHARD, jobs: leftJobsFor(world, process, redis), presence, times: LOCK_TIMES }),
  );
  const shares = { authorities, ledger, results, signer, jobs, promote, open, inFlights, local };
  const hasPlans = world.scenario.plans.length > 0 || world.scenario.schedule?.plan !== undefined;
  const plans = hasPlans ? servePlans(host, process, shares) : [];
  const workers: readonly Lifecycle[] = [...tasks, ...plans, recovery];
  for (const worker of workers) await worker.start();
  if (world.scenario.later) trimJournals(host, process);
  world.trace.say(world.now, process.name, 'serves');
  return workers;
}

/** The process trims the journals of its host, from a moment on that nobody else waits for. */
function trimJournals({ world, stores }: Host, process: SimProcess): void {
  for (const journal of [fileJournalOf(stores.file, process), portOf<ToolJournal>(stores.tool, process), portOf<PlanJournal>(stores.plan, process)]) {
    const trimmer = createJournalTrimmer({
      journal,
      retentionMs: RETENTION_MS,
      everyMs: TRIM_MS,
      clock: process.clock,
      load: () => () => 0,
      onTrimmed: () => undefined,
      onError: () => undefined,
    });
    world.scheduler.at(world.random.integer(TRIM_MS), process, () => void trimmer.start());
  }
}

/** What the page tells apart of ends that the product reports as one. */
function endWord(end: string, message: string | undefined, error: unknown): string {
  if (end === 'busy' && message === 'another delivery works on the task') return 'parked';
  return end === 'crashed' && isOutage(error) ? 'outage' : end;
}

function withMemory(memory: HostMemory | undefined): { memory?: HostMemory } {
  return memory === undefined ? {} : { memory };
}

function taskIdOf(data: unknown): string {
  const manifest: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'manifest') : undefined;
  const id: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'task_id') : undefined;
  return typeof id === 'string' ? id : '';
}

/** The look at every intent before it is asked for. */
function watchIntents<T extends { open(intent: never, ...rest: never[]): unknown }>(
  journal: T,
  look: (intent: { readonly taskId: string; readonly authority: { readonly exp: number } }) => void,
): T {
  return new Proxy(journal, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      if (key !== 'open' || typeof value !== 'function') return value;
      return (intent: Parameters<typeof look>[0], ...rest: unknown[]) => {
        look(intent);
        return Reflect.apply(value, target, [intent, ...rest]) as unknown;
      };
    },
  });
}

/** What a task that crashes throws. */
export const CRASH = 'a fault of the task itself';

/** The worker dies whenever it begins a poisoned task, and goes on when one crashes in it. */
function poisoned({ world, poison, crashing, unreadable, onCrash, onRunning }: Host, process: SimProcess, executor: TaskExecutor): TaskExecutor {
  const { memory } = executor;
  const recall: HostMemory['recall'] | undefined = memory && ((taskId) => (unreadable.has(taskId) ? crash(taskId) : memory.recall(taskId)));
  const crash = (taskId: string): Promise<never> => {
    onCrash(taskId);
    return Promise.reject(new TypeError(CRASH));
  };
  let running = 0;
  return {
    ...executor,
    ...(memory && recall && { memory: { ...memory, recall } }),
    execute(task, run) {
      running += 1;
      onRunning(process.name, running);
      return execute(task, run).finally(() => {
        running -= 1;
      });
    },
  };

  function execute(...[task, run]: Parameters<TaskExecutor['execute']>): ReturnType<TaskExecutor['execute']> {
    if (crashing.has(task.manifest.task_id)) return crash(task.manifest.task_id);
    if (!poison.has(task.manifest.task_id)) return executor.execute(task, run);
    world.strike('poison', process.name);
    world.kill(process);
    return new Promise(() => undefined);
  }
}

/** Lock files: a process that lives is killed before its intent is touched. */
function instancesOf({ world, processes }: Host, process: SimProcess): InstanceRegistry {
  return {
    self: { instance: process.name, pid: 1, startTime: String(Math.floor(process.startedAt)) },
    ensureDead: ({ instance }) =>
      world.call(process, {
        to: 'disk',
        what: `fence ${instance}`,
        effect: () => {
          const other = processes.find(({ name }) => name === instance);
          if (other?.alive) world.kill(other);
          return true;
        },
        refuse: () => false,
      }),
  };
}

function tokenFile({ world, revocations }: Host, process: SimProcess): TokenFile {
  return {
    read: () => world.call(process, { to: 'disk', what: 'revocations.read', effect: () => ({ lines: [...revocations], torn: false }) }),
    append: (tokens) => world.call(process, { to: 'disk', what: 'revocations.append', effect: () => void revocations.push(...tokens) }),
    close: async () => undefined,
  };
}
