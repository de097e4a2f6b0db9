import { startApprovals } from './approvals/host.ts';
import { Checker, type Violation } from './checker.ts';
import { cutPower, meddle, planFault } from './faults.ts';
import { CRASH, startWorker } from './host.ts';
import { leap } from './later.ts';
import type { Host } from './machine.ts';
import { type Parts, put, taskIdOf } from './parts.ts';
import { peaceMs } from './peace.ts';
import { checkPlan, watchSteps } from './plan-checker.ts';
import { planRecord } from './plan-record.ts';
import { bindingsOf, planTicketOf } from './plan-tickets.ts';
import { producePlan, produceTask } from './producers.ts';
import { RETENTION_MS, type Scenario, type SimTask } from './scenario.ts';
import { takeTime } from './scheduler.ts';
import { startSchedule } from './schedules/host.ts';
import type { Seams } from './seams.ts';
import { watchTaskCancels } from './task-cancels.ts';
import { watchTaskWishes } from './task-wishes.ts';
import { DATA, OTHER, TOOL_QUEUE, ticketOf } from './tasks.ts';
import { Disk } from './twins/disk.ts';
import { KernelTwin, PLAN_QUEUE } from './twins/kernel.ts';
import { RedisTwin } from './twins/redis.ts';
import { type Stores, StoreTwin } from './twins/stores.ts';
import { ToolServer } from './twins/tools.ts';
import { countLosses, watchLedger, watchQueue } from './watch.ts';
import { startWebhooks } from './webhooks/host.ts';
import { watchWishes } from './wish-checker.ts';
import { World } from './world.ts';

export interface HistoryOptions {
  readonly seams?: Seams;
  /** Keeps what happened, in words. */
  readonly traced?: boolean;
}

export interface HistoryReport {
  readonly violations: readonly Violation[];
  readonly lines: readonly string[];
  readonly events: number;
  /** Words for what was reached: states, answers, ends, faults. */
  readonly reached: ReadonlySet<string>;
}

const RESTART_MS = 800;
const AFTERMATH_MS = 200;
/** A history that has this many events goes round in circles. */
const MAX_EVENTS = 60_000;

/** Runs one history of the real product in virtual time, and has the checker judge it. */
export async function runHistory(scenario: Scenario, { seams = {}, traced = false }: HistoryOptions = {}): Promise<HistoryReport> {
  const world = new World(scenario, traced);
  // Leases of plans are issued before time is taken: the kernel's log of them waits for the end of a real turn.
  const planned = await issuePlans(world);
  const putTimeBack = takeTime(world.scheduler);
  try {
    const parts = await prepare(world, planned, seams);
    await live(parts);
    return { violations: parts.checker.violations, lines: world.trace.lines, events: world.scheduler.events, reached: parts.reached };
  } finally {
    putTimeBack();
  }
}

async function issuePlans(world: World): Promise<Pick<Parts, 'kernel' | 'plans'> & Pick<Host, 'bindings'>> {
  const bindings = bindingsOf(world);
  const kernel = new KernelTwin(world, bindings);
  const plans = await Promise.all(world.scenario.plans.map((plan, index) => planTicketOf(plan, index, kernel, world)));
  return { bindings, kernel, plans };
}

async function prepare(world: World, { bindings, kernel, plans }: Awaited<ReturnType<typeof issuePlans>>, seams: Seams): Promise<Parts> {
  const { scenario } = world;
  const [redis, disk, checker] = [new RedisTwin(world), new Disk(world), new Checker(world)];
  const tickets = await Promise.all(scenario.tasks.map(ticketOf));
  const store = (name: keyof Stores): StoreTwin => new StoreTwin(world, name, new Set(seams.unsynced?.[name] ?? []), seams.forgets === name);
  const trapped = (trap: SimTask['trap']): Set<string> => new Set(tickets.filter(({ task }) => task.trap === trap).map(({ id }) => id));
  const reached = new Set<string>();
  const revokedAt = new Map<string, number>();
  const host: Host = {
    world,
    redis,
    disk,
    kernel,
    bindings,
    stores: { file: store('file'), tool: store('tool'), plan: store('plan') },
    tools: new ToolServer(world, tickets),
    seams,
    processes: [],
    revocations: [],
    poison: trapped('poison'),
    crashing: trapped('crash'),
    unreadable: trapped('memory-crash'),
    onCrash: (taskId) => checker.onCrash(taskId),
    onRunning(process, running) {
      if (running > scenario.concurrency) checker.violate('no more at a time than slots', `${process} runs ${running} tasks of one queue`);
    },
    onReached: (word) => void reached.add(word),
    onEnd(jobId, end, told, process) {
      reached.add(`end:${end}`);
      if (told.includes('was lost')) reached.add('says:lost');
      if (told.includes('deliveries of this task crashed')) reached.add('says:crashed');
      if (end === 'malformed' && told.includes('bytes, at most')) reached.add('says:too-large');
      if (told.includes('another manifest with this task_id is at work')) reached.add('says:at-work');
      if (told.includes('was ended elsewhere')) reached.add('says:elsewhere');
      if (told.includes('no longer kept')) reached.add(end.startsWith('plan-') ? 'says:trimmed-plan' : 'says:trimmed');
      if (told.includes('the same fault came back')) reached.add('says:came-back');
      world.trace.say(world.now, process.name, `END ${jobId} ${end} ${told}`);
      if (end.endsWith('crashed') && !told.includes(CRASH)) checker.violate('nothing crashes by itself', `${jobId}: ${told.trim()}`);
    },
    onIntent(taskId, process, exp, startedAt) {
      const ticket = tickets.find(({ id }) => id === taskId);
      if (process.clock.now() > exp * 1000) checker.violate('no effect without a lease', `${taskId} began after its lease had expired`);
      const revoked = ticket && revokedAt.get(ticket.lease.jti);
      if (revoked !== undefined && startedAt > revoked && redis.losses === 0)
        checker.violate('no effect without a lease', `${taskId} began after its lease was revoked`);
    },
  };
  const parts: Parts = {
    world,
    checker,
    redis,
    disk,
    kernel,
    host,
    tickets,
    plans,
    undos: new Map(),
    workers: [],
    kernelProcess: { current: undefined },
    apiProcess: { current: undefined },
    wishes: {},
    pushAgain: new Map(),
    open: { producers: 0, faults: 0 },
    reached,
    claimed: new Set(),
    revokedAt,
  };

  seams.disk?.(disk);
  seams.planQueue?.(redis.queue(PLAN_QUEUE));
  disk.mount(DATA, '1', ['in', 'out']);
  disk.mount(OTHER, '2', ['out']);
  for (const { source, destination, content, task } of tickets) {
    if (source !== undefined && task.trap !== 'source-missing') put(parts, source, content);
    if (destination !== undefined && task.trap === 'destination-there') put(parts, destination, `foreign ${destination}`);
  }
  for (const { source, content } of plans.flatMap(({ files }) => files)) put(parts, source, content);
  await redis.ledger.markGeneration('first');
  host.tools.onOnce = (taskId) => checker.onOnce(taskId, host.stores.tool, redis.losses);
  watchLedger(parts);
  watchSteps(parts);
  for (const name of ['file', TOOL_QUEUE, PLAN_QUEUE]) watchQueue(parts, redis.queue(name));
  // A call that has no effect is remembered by Redis alone, and for as long as its row is kept.
  checker.forgotten = (taskId) => (redis.losses > 0 || world.now > RETENTION_MS) && !tickets.some(({ id, task }) => id === taskId && task.kind !== 'tool-none');
  world.onPower = () => cutPower(parts);
  world.onMeddle = (kind) => meddle(parts, kind);
  return parts;
}

async function live(parts: Parts): Promise<void> {
  const { world, checker, reached, host, workers } = parts;
  const { scenario, scheduler } = world;
  let started = 0;
  const start = (at: number): void => {
    started += 1;
    const worker = startWorker(host, `worker-${started}`);
    // The wrong clock is the machine's.
    worker.process.skewMs = workers[at]?.process.skewMs ?? 0;
    workers[at] = worker;
  };
  world.onDeath = (process) => {
    void countLosses(parts, process);
    world.trace.say(world.now, process.name, 'is dead');
    const at = workers.findIndex((worker) => worker.process === process);
    // A place has one worker, whoever has started it meanwhile.
    const again = (): void => {
      if (workers[at]?.process === process) start(at);
    };
    if (at >= 0) scheduler.at(RESTART_MS * (0.5 + world.random.number()), undefined, again);
  };
  for (let worker = 0; worker < scenario.workers; worker += 1) start(worker);
  const settleWebhooks = scenario.webhooks === undefined ? undefined : startWebhooks(parts, scenario.webhooks);
  for (const ticket of parts.tickets) produceTask(parts, ticket);
  for (const ticket of parts.plans) producePlan(parts, ticket);
  for (const fault of scenario.faults) planFault(parts, fault);
  const judgeApprovals = scenario.approval === undefined ? undefined : startApprovals(parts, scenario.approval);
  watchTaskCancels(parts);
  const judgeWishes = [watchWishes(parts), watchTaskWishes(parts)];
  const judgeSchedule = scenario.schedule === undefined ? undefined : startSchedule(parts, scenario.schedule);

  const ended = await untilOver(parts);
  if (ended && scenario.later) {
    const judgeLater = await leap(parts, start, taskIdOf);
    await untilOver(parts);
    await judgeLater();
  } else for (const ticket of parts.plans) await checkPlan(parts, ticket);
  await checker.atEnd(parts, taskIdOf);
  judgeSchedule?.();
  judgeApprovals?.();
  await settleWebhooks?.();
  for (const judge of judgeWishes) judge();
  for (const kind of world.struck.keys()) reached.add(`fault:${kind}`);
}

/** Goes on until everything has ended; a broken promise where it does not. */
async function untilOver(parts: Parts): Promise<boolean> {
  const { world, checker } = parts;
  const { scenario, scheduler } = world;
  let ended = false;
  const peace = peaceMs(scenario);
  for (let deadline = -1; !ended && deadline < world.lastTrouble + peace && scheduler.events < MAX_EVENTS; ) {
    deadline = world.lastTrouble + peace;
    ended = await scheduler.run(() => isOver(parts), { untilMs: deadline, events: MAX_EVENTS });
  }
  if (!ended) checker.violate('everything ends', unfinished(parts));
  return ended;
}

function isOver({ open, pushAgain, tickets, plans, undos, redis, host, world }: Parts): boolean {
  // A plan that was trimmed has no row.
  const isLater = world.now > RETENTION_MS;
  // Who was stopped comes back, and may still do harm.
  if (world.struck.size > 0 && world.now < world.lastTrouble + AFTERMATH_MS) return false;
  if (open.producers > 0 || open.faults > 0 || pushAgain.size < tickets.length + plans.length) return false;
  for (const queue of redis.queues.values()) {
    for (const { state } of queue.jobs.values()) if (state !== 'completed' && state !== 'failed') return false;
  }
  const ended = ({ planSha256 }: Parts['plans'][number]): boolean => {
    const record = planRecord(host.stores, planSha256);
    return record === undefined ? isLater : record.end !== undefined;
  };
  // An undo whose job went with Redis is put back by whoever looks after plans.
  const undone = [...undos.values()].every((id) => planRecord(host.stores, id)?.end !== undefined || planRecord(host.stores, id) === undefined);
  return undone && plans.every(ended);
}

function unfinished({ redis }: Parts): string {
  const jobs = [...redis.queues.values()].flatMap((queue) =>
    [...queue.jobs.values()]
      .filter(({ state }) => state !== 'completed' && state !== 'failed')
      .map(({ id, state, data }) => `${id} (${taskIdOf(data)}) is ${state}`),
  );
  return jobs.length > 0 ? jobs.join(', ') : 'a producer waits still, or a plan';
}
