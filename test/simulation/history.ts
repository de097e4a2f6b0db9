import { createEnqueue } from '../../queues/enqueue.ts';
import type { RecordRequest } from '../../src/core/ports/index.ts';
import { signRevocation } from '../../src/lease/index.ts';
import { Checker, type Violation } from './checker.ts';
import { type Host, startWorker } from './host.ts';
import { PEACE_MS, type Scenario, type TimedFault } from './scenario.ts';
import { EPOCH_MS, SimProcess, takeTime } from './scheduler.ts';
import type { Seams } from './seams.ts';
import { DATA, KERNEL_KEY, OTHER, type Ticket, TOOL_QUEUE, ticketOf } from './tasks.ts';
import { cheapEd25519 } from './twins/crypto.ts';
import { Disk } from './twins/disk.ts';
import { RedisTwin } from './twins/redis.ts';
import { StoreTwin } from './twins/stores.ts';
import { ToolServer } from './twins/tools.ts';
import { remote, World } from './world.ts';

export interface HistoryOptions {
  readonly seams?: Seams;
  /** Keeps what happened, in words. */
  readonly traced?: boolean;
}

export interface HistoryReport {
  readonly violations: readonly Violation[];
  readonly lines: readonly string[];
  readonly events: number;
  readonly calls: number;
  /** Virtual milliseconds. */
  readonly ms: number;
  /** Words for what was reached: states, answers, ends, faults. */
  readonly reached: ReadonlySet<string>;
}

const RESTART_MS = 800;
/** A history that has this many events goes round in circles. */
const MAX_EVENTS = 60_000;

/** Runs one history of the real product in virtual time, and has the checker judge it. */
export async function runHistory(scenario: Scenario, { seams = {}, traced = false }: HistoryOptions = {}): Promise<HistoryReport> {
  const world = new World(scenario, traced);
  const putTimeBack = takeTime(world.scheduler);
  try {
    return await new History(world, seams).run();
  } finally {
    putTimeBack();
  }
}

class History {
  readonly #world: World;
  readonly #checker: Checker;
  readonly #redis: RedisTwin;
  readonly #disk: Disk;
  readonly #seams: Seams;
  readonly #reached = new Set<string>();
  readonly #workers: ReturnType<typeof startWorker>[] = [];
  readonly #revoked: string[] = [];
  readonly #revokedAt = new Map<string, number>();
  #host: Host | undefined;
  #tickets: readonly Ticket[] = [];
  #producing = 0;
  #faultsLeft = 0;
  #started = 0;

  constructor(world: World, seams: Seams) {
    this.#world = world;
    this.#seams = seams;
    this.#checker = new Checker(world);
    this.#redis = new RedisTwin(world);
    this.#disk = new Disk(world);
    seams.disk?.(this.#disk);
  }

  async run(): Promise<HistoryReport> {
    const { scenario, scheduler } = this.#world;
    this.#tickets = await Promise.all(scenario.tasks.map(ticketOf));
    await this.#prepare();
    for (let worker = 0; worker < scenario.workers; worker += 1) this.#startWorker(worker);
    for (const ticket of this.#tickets) this.#produce(ticket);
    for (const fault of scenario.faults) this.#plan(fault);
    const isOver = (): boolean => this.#isOver();
    let ended = false;
    while (!ended && this.#world.now <= this.#world.lastTrouble + PEACE_MS && scheduler.events < MAX_EVENTS) {
      ended = await scheduler.run(isOver, { untilMs: this.#world.lastTrouble + PEACE_MS, events: MAX_EVENTS });
      if (!ended && this.#world.now < this.#world.lastTrouble) continue;
      break;
    }
    if (!ended) this.#checker.violate('everything ends', this.#unfinished());
    await this.#checker.atEnd(this.#tickets, this.#disk, this.host.stores, this.host.tools.requests);
    this.#checker.ofJobs(
      [...this.#redis.queues.values()].flatMap(({ jobs }) => [...jobs.values()]),
      taskIdOf,
      this.host.stores,
    );
    for (const kind of this.#world.struck.keys()) this.#reached.add(`fault:${kind}`);
    return {
      violations: this.#checker.violations,
      lines: this.#world.trace.lines,
      events: scheduler.events,
      calls: this.#world.calls,
      ms: Math.round(this.#world.now),
      reached: this.#reached,
    };
  }

  get host(): Host {
    if (this.#host === undefined) throw new Error('the history has not begun');
    return this.#host;
  }

  async #prepare(): Promise<void> {
    const world = this.#world;
    this.#disk.mount(DATA, '1', ['in', 'out']);
    this.#disk.mount(OTHER, '2', ['out']);
    for (const ticket of this.#tickets) this.#layOut(ticket);
    await this.#redis.ledger.markGeneration('first');
    this.#watchLedger();
    this.#watchQueues();
    this.#checker.forgotten = (taskId) => this.#redis.losses > 0 && this.#tickets.some(({ id, task }) => id === taskId && task.kind === 'tool-none');
    const unsynced = (name: 'file' | 'tool'): ReadonlySet<string> => new Set(this.#seams.unsynced?.[name] ?? []);
    this.#host = {
      world,
      redis: this.#redis,
      disk: this.#disk,
      stores: { file: new StoreTwin(world, 'file', unsynced('file')), tool: new StoreTwin(world, 'tool', unsynced('tool')) },
      tools: new ToolServer(world, this.#tickets),
      seams: this.#seams,
      processes: [],
      revocations: [],
      poison: new Set(this.#tickets.filter(({ task }) => task.trap === 'poison').map(({ id }) => id)),
      onReport: (report, process) => {
        this.#reached.add(`end:${report.end}`);
        const code = report.code === undefined ? '' : ` ${report.code}`;
        world.trace.say(
          world.now,
          process.name,
          `END ${report.jobId} ${report.end}${code} ${report.message ?? ''} ${report.error === undefined ? '' : String(report.error)}`,
        );
      },
      onIntent: (taskId, process, exp, startedAt) => this.#onIntent(taskId, process, exp, startedAt),
    };
    world.onPower = () => this.#cutPower();
    world.onMeddle = (kind) => (kind === 'occupy' ? this.#occupy() : this.#meddle());
    world.onDeath = (process) => {
      void this.#countLosses(process);
      world.trace.say(world.now, process.name, 'is dead');
      const at = this.#workers.findIndex((worker) => worker.process === process);
      if (at >= 0) world.scheduler.at(RESTART_MS * (0.5 + world.random.number()), undefined, () => this.#startWorker(at));
    };
  }

  #layOut({ source, destination, content, task }: Ticket): void {
    if (source === undefined) return;
    if (task.trap !== 'source-missing') this.#put(source, content);
    if (task.trap === 'destination-there' && destination !== undefined) this.#put(destination, `foreign ${destination}`);
  }

  #put(path: string, data: string): void {
    if (this.#disk.put(path, data) !== undefined) this.#checker.contents.add(data);
  }

  #watchLedger(): void {
    const { ledger } = this.#redis;
    const { record, claim, cancel } = ledger;
    Object.assign(ledger, {
      record: async (request: RecordRequest) => {
        const answer = await record(request);
        this.#reached.add(`record:${answer}`);
        if (answer === 'recorded') this.#onRecorded(request);
        return answer;
      },
      claim: async (request: Parameters<typeof claim>[0]) => {
        const answer = await claim(request);
        this.#reached.add(`claim:${answer.kind}`);
        const row = await ledger.row(request.taskId);
        if (row !== undefined) this.#reached.add(`row:${row.state}`);
        return answer;
      },
      cancel: async (...args: Parameters<typeof cancel>) => {
        const answer = await cancel(...args);
        const row = await ledger.row(args[0]);
        if (row !== undefined) this.#reached.add(`row:${row.state}`);
        return answer;
      },
    });
  }

  #onRecorded({ taskId, status, result }: RecordRequest): void {
    this.#checker.onRecorded(taskId, status, result, this.host.stores);
    const ticket = this.#tickets.find(({ id }) => id === taskId);
    const { source, destination } = ticket ?? {};
    if (status !== 'SUCCESS' || !this.#putBack.has(taskId) || source === undefined || destination === undefined) return;
    this.#world.scheduler.at(200 + this.#world.random.integer(2_000), undefined, () => this.#disk.rename(destination, source));
  }

  #watchQueues(): void {
    for (const name of ['file', TOOL_QUEUE]) {
      const queue = this.#redis.queue(name);
      const ends = (id: string): void => {
        const job = queue.jobs.get(id);
        if (job === undefined || (job.state !== 'completed' && job.state !== 'failed')) return;
        this.#reached.add(`job:${job.state}`);
        this.#checker.onJobEnded(job, taskIdOf(job.data), this.#world.struck.size === 0 && this.#calm());
      };
      const { complete, fail, take, lookForStalled } = QueueMethods(queue);
      Object.assign(queue, {
        complete: (...args: Parameters<typeof complete>) => {
          complete(...args);
          ends(args[0]);
        },
        fail: (...args: Parameters<typeof fail>) => {
          const end = fail(...args);
          ends(args[0]);
          return end;
        },
        take: (...args: Parameters<typeof take>) => {
          const taken = take(...args);
          if (taken.job !== undefined) this.#checker.onStarted(taken.job);
          return taken;
        },
        lookForStalled: (...args: Parameters<typeof lookForStalled>) => {
          const stalled = lookForStalled(...args);
          for (const id of stalled) void this.#countStall(`${name}:${id}`);
          return stalled;
        },
      });
    }
  }

  /** The tasks that a process had claimed when it died have lost a worker. */
  async #countLosses(process: SimProcess): Promise<void> {
    for (const { id } of this.#tickets) {
      const row = await this.#redis.ledger.row(id);
      if (row?.state === 'running' && row.owner === process.name) this.#checker.onLost(id);
    }
  }

  /** The queue takes a job away from a worker that lives: it has lost its task, too. */
  async #countStall(jobKey: string): Promise<void> {
    for (const { id } of this.#tickets) {
      const row = await this.#redis.ledger.row(id);
      const lives = this.host.processes.some(({ name, alive }) => alive && name === row?.owner);
      if (row?.state === 'running' && row.jobKey === jobKey && lives) this.#checker.onLost(id);
    }
  }

  /** No task of the history is slow or takes its worker down. */
  #calm(): boolean {
    return this.#tickets.every(({ task }) => task.trap !== 'poison');
  }

  #onIntent(taskId: string, process: SimProcess, exp: number, startedAt: number): void {
    const ticket = this.#tickets.find(({ id }) => id === taskId);
    if (process.clock.now() > exp * 1000) this.#checker.violate('no effect without a lease', `${taskId} began after its lease had expired`);
    const revokedAt = ticket && this.#revokedAt.get(ticket.lease.jti);
    if (revokedAt !== undefined && startedAt > revokedAt && this.#redis.losses === 0) {
      this.#checker.violate('no effect without a lease', `${taskId} began after its lease was revoked`);
    }
  }

  #startWorker(at: number): void {
    this.#started += 1;
    this.#workers[at] = startWorker(this.host, `worker-${this.#started}`);
  }

  /** A producer pushes until the push is accepted, and again when Redis has lost it. */
  #produce(ticket: Ticket): void {
    const { scheduler } = this.#world;
    const process = new SimProcess(`producer-${ticket.index}`, scheduler, { mortal: false });
    const ledger = remote(this.#world, process, 'redis', 'ledger', this.#redis.ledger);
    const enqueue = createEnqueue({
      connection: {} as never,
      open: (name) => this.#redis.queueFor(process, name),
      ledger,
      clock: process.clock,
      pool: 'default',
    });
    // A poisoned task takes five workers down for each of its tries.
    const attempts = ticket.index % 3 === 0 && ticket.task.trap !== 'poison' ? 3 : 1;
    this.#producing += 1;
    const push = async (): Promise<void> => {
      for (;;) {
        const losses = this.#redis.losses;
        try {
          await enqueue.push(ticket.job, { queue: ticket.queue, attempts });
          if (losses === this.#redis.losses) return;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 1_000));
        }
      }
    };
    scheduler.at(ticket.task.at, process, () => {
      void push().then(async () => {
        for (let copy = 0; copy < ticket.task.duplicates; copy += 1) {
          await this.#redis
            .queueFor(process, ticket.queue)
            .add('raw', ticket.job, {})
            .catch(() => undefined);
        }
        this.#producing -= 1;
        this.#again.set(ticket.id, () =>
          scheduler.at(500, process, () => {
            this.#producing += 1;
            void push().then(() => {
              this.#producing -= 1;
            });
          }),
        );
      });
    });
  }
  readonly #again = new Map<string, () => void>();

  #plan(fault: TimedFault): void {
    const { scheduler } = this.#world;
    this.#faultsLeft += 1;
    if (fault.kind === 'redis-loss' && fault.ageMs !== undefined) {
      scheduler.at(Math.max(0, fault.at - fault.ageMs), undefined, () => {
        const restore = this.#redis.save();
        scheduler.at(Math.min(fault.at, fault.ageMs ?? 0), undefined, () => this.#loseRedis(restore, 'of what is young'));
      });
      return;
    }
    scheduler.at(fault.at, undefined, () => {
      this.#faultsLeft -= 1;
      this.#strike(fault);
    });
  }

  #loseRedis(lose: () => void, what: string): void {
    this.#faultsLeft -= 1;
    this.#world.strike('redis-loss', what);
    lose();
    for (const push of this.#again.values()) push();
  }

  #strike(fault: TimedFault): void {
    const world = this.#world;
    const { scheduler } = world;
    world.strike(fault.kind, JSON.stringify(fault));
    const until = 'forMs' in fault ? world.now + fault.forMs : world.now;
    world.lastTrouble = Math.max(world.lastTrouble, until);
    const worker = 'worker' in fault ? this.#workers[fault.worker % this.#workers.length] : undefined;
    const ticket = 'task' in fault ? this.#tickets[fault.task % this.#tickets.length] : undefined;
    switch (fault.kind) {
      case 'kill':
        return worker && world.kill(worker.process);
      case 'stop':
        return worker && scheduler.at(0, worker.process, () => void worker.stop());
      case 'pause':
        return worker && world.pause(worker.process, fault.forMs);
      case 'clock':
        if (worker) worker.process.skewMs += fault.byMs;
        return;
      case 'power':
        return this.#cutPower();
      case 'put-back':
        if (ticket) this.#putBack.add(ticket.id);
        return;
      case 'vanish':
        void this.#vanish();
        return;
      case 'redis-loss':
        this.#faultsLeft += 1;
        return this.#loseRedis(() => this.#redis.lose(), 'of everything');
      case 'redis-outage':
        world.redisDownUntil = until;
        return;
      case 'disk-full':
        world.diskFullUntil = until;
        return;
      case 'slow':
        world.slowUntil = until;
        world.slowFactor = fault.factor;
        return;
      case 'damage-revocations':
        this.#redis.damaged = true;
        scheduler.at(fault.forMs, undefined, () => {
          this.#redis.damaged = false;
        });
        return;
      case 'cancel':
        if (ticket) void this.#redis.ledger.cancel(ticket.id, EPOCH_MS + world.now);
        return;
      case 'revoke':
        if (ticket) void this.#revoke(ticket);
        return;
      case 'forge-row':
        if (ticket) void this.#forge(ticket);
        return;
      case 'exchange-directory':
        this.#disk.exchange(`${DATA}/${fault.directory}`);
        return;
      case 'recreate-source':
        if (ticket?.source !== undefined) this.#put(ticket.source, `recreated ${ticket.source} at ${world.now}`);
        return;
      case 'foreign-destination':
        if (ticket?.destination !== undefined) this.#put(ticket.destination, `foreign ${ticket.destination} at ${world.now}`);
        return;
      case 'garbage':
        this.#redis.queue('file').add('raw', GARBAGE[fault.which % GARBAGE.length], {}, EPOCH_MS + world.now);
        return;
    }
  }

  readonly #putBack = new Set<string>();

  #cutPower(): void {
    for (const { process } of this.#workers) this.#world.kill(process);
    this.#disk.cut();
    this.host.stores.file.cut();
    this.host.stores.tool.cut();
  }

  /** A job that holds a task leaves the queue, and its worker dies. */
  async #vanish(): Promise<void> {
    for (const { id, queue } of this.#tickets) {
      const row = await this.#redis.ledger.row(id);
      const jobId = row?.jobKey.slice(row.jobKey.indexOf(':') + 1);
      if (row?.state !== 'running' || jobId === undefined || !this.#redis.queue(queue).jobs.delete(jobId)) continue;
      const owner = this.host.processes.find(({ name }) => name === row.owner);
      if (owner) this.#world.kill(owner);
      return;
    }
  }

  /** Somebody puts a file where each task wants to put its own. */
  #occupy(): void {
    for (const { destination } of this.#tickets) if (destination !== undefined) this.#put(destination, `foreign ${destination}`);
  }

  /** Chance chooses what somebody does to the files of a task, or to a directory. */
  #meddle(): void {
    const { random } = this.#world;
    const { source, destination } = random.pick(this.#tickets);
    const now = Math.round(this.#world.now);
    const acts = [
      () => destination !== undefined && this.#put(destination, `foreign ${destination} at ${now}`),
      () => destination !== undefined && this.#put(destination, `foreign ${destination} at ${now}`),
      () => source !== undefined && this.#put(source, `recreated ${source} at ${now}`),
      () => this.#disk.exchange(`${DATA}/${random.pick(['in', 'out'])}`),
      () => source !== undefined && this.#disk.touch(source),
    ];
    random.pick(acts)();
  }

  async #revoke({ lease }: Ticket): Promise<void> {
    const { jti, exp } = lease;
    const n = this.#revoked.length + 1;
    const at = Math.floor((EPOCH_MS + this.#world.now) / 1000);
    this.#revoked.push(await signRevocation({ v: 1, n, jti, exp, at }, KERNEL_KEY, cheapEd25519));
    const head = this.#redis.damaged ? 0 : await this.#redis.feed.head();
    const missing = this.#revoked.slice(head).map((token, index) => ({ n: head + index + 1, token }));
    if (this.#redis.damaged) return;
    await this.#redis.feed.publish(missing);
    this.#revokedAt.set(jti, this.#world.now);
  }

  /** Somebody writes a SUCCESS into the row that no executor has signed. */
  async #forge({ id, lease }: Ticket): Promise<void> {
    const { ledger } = this.#redis;
    const row = await ledger.row(id);
    const now = EPOCH_MS + this.#world.now;
    const request = { taskId: id, manifestSha256: lease.manifest_sha256, jobKey: 'forger', instance: 'forger', exp: lease.exp, now };
    const restore = ledger.save();
    const claimed = await ledger.claim({ ...request, ...(row === undefined || row.owner === '' ? {} : { deadInstance: row.owner }) });
    if (!('epoch' in claimed)) return restore();
    await this.#redis.ledger.restore([{ taskId: id, manifestSha256: lease.manifest_sha256, result: FORGED, exp: lease.exp }], now);
  }

  #isOver(): boolean {
    if (this.#producing > 0 || this.#faultsLeft > 0 || this.#again.size < this.#tickets.length) return false;
    for (const queue of this.#redis.queues.values()) {
      for (const { state } of queue.jobs.values()) if (state !== 'completed' && state !== 'failed') return false;
    }
    return true;
  }

  #unfinished(): string {
    const jobs = [...this.#redis.queues.values()].flatMap((queue) =>
      [...queue.jobs.values()]
        .filter(({ state }) => state !== 'completed' && state !== 'failed')
        .map(({ id, state, data }) => `${id} (${taskIdOf(data)}) is ${state}`),
    );
    return jobs.length > 0 ? jobs.join(', ') : 'a producer waits still';
  }
}

/** The methods as they are, bound, so that they can be watched. */
function QueueMethods(queue: import('./twins/queue.ts').QueueTwin) {
  return {
    complete: queue.complete.bind(queue),
    fail: queue.fail.bind(queue),
    take: queue.take.bind(queue),
    lookForStalled: queue.lookForStalled.bind(queue),
  };
}

const FORGED = '{"error":null,"output":{"forged":true},"signature":"","status":"SUCCESS"}';

const GARBAGE: readonly unknown[] = [
  null,
  'text',
  { v: 1, manifest: { task_id: 'garbage', capability_id: 'FILE_MOVE', inputs: {}, constraints: {} }, lease: 'no' },
  { v: 1, manifest: { task_id: 'wait', capability_id: 'FILE_MOVE', inputs: {}, constraints: {} } },
];

function taskIdOf(data: unknown): string {
  const manifest: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'manifest') : undefined;
  const id: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'task_id') : undefined;
  return typeof id === 'string' ? id : '';
}
