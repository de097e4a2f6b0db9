import { ExecutionResult } from '../../src/contracts/index.ts';
import { sha256Hex } from '../../src/core/hash.ts';
import type { JournalView } from '../../src/core/ports/index.ts';
import { fixedKeyring, verifyResult } from '../../src/lease/index.ts';
import { type Earlier, earlierOf } from './earlier.ts';
import { effectsOf } from './effects.ts';
import { EXECUTOR_KEY, type Ticket } from './tasks.ts';
import { cheapEd25519 } from './twins/crypto.ts';
import type { Disk } from './twins/disk.ts';
import { PLAN_QUEUE } from './twins/kernel.ts';
import type { StoredJob } from './twins/queue.ts';
import type { StoreTwin } from './twins/stores.ts';
import type { World } from './world.ts';

/** A promise that a history broke. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** The journals that the checker looks into. */
interface CheckedStores {
  readonly file: StoreTwin;
  readonly tool: StoreTwin;
}

/** What is looked at when a history is over. */
interface Judged {
  readonly tickets: readonly Ticket[];
  readonly disk: Disk;
  readonly host: { readonly stores: CheckedStores; readonly tools: { readonly requests: ReadonlyMap<string, number> } };
  readonly redis: { readonly queues: ReadonlyMap<string, { readonly name: string; readonly jobs: ReadonlyMap<string, StoredJob> }> };
}

/** An outcome that reached the ledger. */
interface Recorded {
  readonly at: number;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly result: string;
  /** Of the row: whoever comes first has the id, and that may be another manifest. */
  readonly manifestSha256: string;
}

/** Delivered jobs end within this time after the end of their task, where nothing went wrong; milliseconds. */
const STARVED_MS = 3_000;
/** Traps after which nobody knows what a `once` call has done: no answer in time, or one that a result has no room for. */
const UNCLEAR: ReadonlySet<Ticket['task']['trap']> = new Set(['slow-tool', 'oversized-answer']);
/** What is said of a task whose answer was too old to be kept. */
export const NO_LONGER_KEPT = 'its result is no longer kept';
/** No job is started oftener than this. */
const MAX_STARTS = 80;

/** Beside the system: sees what was recorded, what stands on the disk and what the queue says, and knows no rule of the product's. */
export class Checker {
  readonly violations: Violation[] = [];
  /** Bytes that somebody put into the world. */
  readonly contents = new Set<string>();
  /** Tasks whose file somebody puts back after its SUCCESS. */
  readonly putBack = new Set<string>();
  /** Tasks whose running job somebody has removed: nobody ends what it had begun. */
  readonly vanished = new Set<string>();
  /** When jobs of plans ended, by job id. */
  readonly planEndedAt = new Map<string, number>();
  /** Whether nobody can know of the task's earlier outcomes any more. */
  forgotten: (taskId: string) => boolean = () => false;
  readonly #world: World;
  readonly #recorded = new Map<string, Recorded[]>();
  /** When SUCCESSes came back from a journal, by task. */
  readonly #restored = new Map<string, number[]>();
  readonly #ended = new Map<string, number>();
  /** Workers that died or lost their job while they had claimed the task. */
  readonly #lost = new Map<string, number>();
  /** Intents that were open when the task's FAILURE was recorded. */
  readonly #openAtFailure: { readonly store: StoreTwin; readonly taskId: string; readonly n: number }[] = [];
  readonly #crashed = new Map<string, number>();
  /** How far each task had come when it was pushed again under a new lease. */
  readonly #earlier = new Map<string, Earlier>();

  constructor(world: World) {
    this.#world = world;
  }

  violate(invariant: string, what: string): void {
    if (this.violations.some((known) => known.invariant === invariant && known.what === what)) return;
    this.violations.push({ invariant, what });
    this.#world.trace.say(this.#world.now, 'CHECKER', `${invariant}: ${what}`);
  }

  /** The ledger has taken an outcome. */
  onRecorded(taskId: string, outcome: Recorded, stores: CheckedStores): void {
    const { status, result, manifestSha256 } = outcome;
    for (const store of used(stores)) {
      const { open } = store.look('view', taskId) as { readonly open?: { readonly n: number } };
      if (open === undefined) continue;
      // Whoever stood still while he wrote his intent takes it back: that is seen at the end.
      if (status === 'FAILURE') this.#openAtFailure.push({ store, taskId, n: open.n });
      else this.#leftOpen(taskId, status);
    }
    const earlier = this.#recorded.get(taskId) ?? [];
    // A call that has no effect is remembered by Redis alone.
    const success = this.forgotten(taskId) ? undefined : earlier.find((one) => one.status === 'SUCCESS' && one.manifestSha256 === manifestSha256);
    if (success !== undefined && status === 'FAILURE' && !result.includes(NO_LONGER_KEPT))
      this.violate('success is final', `${taskId} was a SUCCESS and became a FAILURE`);
    if (success !== undefined && status === 'SUCCESS' && success.result !== result) this.violate('results repeat', `${taskId} has two different SUCCESS`);
    this.#recorded.set(taskId, [...earlier, outcome]);
    this.#ended.set(taskId, outcome.at);
  }

  #leftOpen(taskId: string, status: Recorded['status']): void {
    this.violate('intents end', `${taskId} was recorded as ${status} while its intent was open`);
  }

  /** A long time has passed: whoever succeeded is told no more than that, and whoever did not may be tried under a new lease. */
  leap({ tickets, disk, host: { stores, tools } }: Judged): void {
    for (const ticket of tickets) {
      const successes = this.recorded(ticket.id).filter(({ status }) => status === 'SUCCESS');
      this.#earlier.set(ticket.id, earlierOf(ticket, successes, { ...stores, disk, requests: tools.requests.get(ticket.id) ?? 0 }));
    }
    this.#ended.clear();
  }

  /** A delivery of the task has thrown what is no outage. */
  onCrash(taskId: string): void {
    this.#crashed.set(taskId, (this.#crashed.get(taskId) ?? 0) + 1);
  }

  /** A request is about to leave. After a loss of Redis another may have ended the attempt between the look at it and now. */
  onOnce(taskId: string, tool: StoreTwin, losses: number): void {
    const { open } = tool.look('view', taskId) as { readonly open: unknown };
    if (open === undefined && losses === 0) this.violate('nothing is sent for an attempt that has ended', taskId);
  }

  onLost(taskId: string): void {
    this.#lost.set(taskId, (this.#lost.get(taskId) ?? 0) + 1);
  }

  /** What the queue was told of a SUCCESS is what an executor has signed. */
  ofJobs(jobs: readonly StoredJob[], taskIdOf: (data: unknown) => string, stores: CheckedStores): void {
    for (const { id, state, data, returnvalue } of jobs) {
      if (state !== 'completed') continue;
      const taskId = taskIdOf(data);
      const said: unknown = Reflect.get(Object(returnvalue), 'result_sha256');
      if (!this.signed(taskId, stores).some(({ status, result }) => status === 'SUCCESS' && sha256Hex(result) === said))
        this.violate('results verify', `job ${id} of ${taskId} was completed with a result that nobody has signed`);
    }
  }

  /** What executors have said of a task: an end that Redis lost before or after it was recorded comes back from a journal, and nobody records it again. */
  signed(taskId: string, stores: CheckedStores): readonly Pick<Recorded, 'status' | 'result'>[] {
    const views = used(stores).map((store) => store.look('view', taskId) as { readonly success?: { readonly result: string } });
    return [
      ...this.recorded(taskId),
      ...views.flatMap(({ success }) => (success === undefined ? [] : [{ status: 'SUCCESS' as const, result: success.result }])),
    ];
  }

  recorded(taskId: string): readonly Recorded[] {
    return this.#recorded.get(taskId) ?? [];
  }

  /** A SUCCESS is in the ledger that came from a journal. */
  onRestored(taskId: string): void {
    this.#restored.set(taskId, [...(this.#restored.get(taskId) ?? []), this.#world.now]);
  }

  /** When the ledger first took a SUCCESS of the task, from a worker or from a journal. */
  succeededAt(taskId: string): number | undefined {
    const recorded = this.recorded(taskId).flatMap(({ status, at }) => (status === 'SUCCESS' ? [at] : []));
    const all = [...recorded, ...(this.#restored.get(taskId) ?? [])];
    return all.length === 0 ? undefined : Math.min(...all);
  }

  /** A job has come to its end in the queue; `hadItsTurnAt`: until then all slots were in use. */
  onJobEnded(job: StoredJob, taskId: string, calm: boolean, hadItsTurnAt: number): void {
    const ended = this.#ended.get(taskId);
    if (ended === undefined || !calm) return;
    const waited = this.#world.now - Math.max(ended, hadItsTurnAt, job.timestamp - 1_800_000_000_000);
    if (waited > STARVED_MS) this.violate('nobody starves', `job ${job.id} of ${taskId} ended ${Math.round(waited)} ms after its task`);
  }

  onStarted(job: StoredJob): void {
    if (job.attemptsStarted > MAX_STARTS) this.violate('no endless retry', `job ${job.id} was started ${job.attemptsStarted} times`);
  }

  async atEnd({ tickets, disk, host, redis }: Judged, taskIdOf: (data: unknown) => string): Promise<void> {
    const { stores } = host;
    const { requests } = host.tools;
    const incidents = stores.file.isUsed ? (stores.file.look('incidents', 1000) as readonly { readonly taskId: string }[]) : [];
    for (const ticket of tickets) {
      const outcomes = this.recorded(ticket.id).filter(({ manifestSha256 }) => manifestSha256 === ticket.lease.manifest_sha256);
      for (const { result } of outcomes) await this.#verify(ticket, result);
      if (ticket.source === undefined) this.#tool(ticket, outcomes, requests.get(ticket.id) ?? 0, stores.tool);
      else
        this.#file(
          ticket,
          outcomes,
          disk,
          stores.file,
          incidents.some(({ taskId }) => taskId === ticket.id),
        );
    }
    for (const { store, taskId, n } of this.#openAtFailure) if (!store.wasWithdrawn(taskId, n)) this.#leftOpen(taskId, 'FAILURE');
    this.#bytes(disk);
    const tasks = [...redis.queues.values()].filter(({ name }) => name !== PLAN_QUEUE);
    this.ofJobs(
      tasks.flatMap(({ jobs }) => [...jobs.values()]),
      taskIdOf,
      stores,
    );
  }

  async #verify(ticket: Ticket, result: string): Promise<void> {
    const { manifest, lease } = ticket;
    const subject = { taskId: ticket.id, capabilityId: manifest.capability_id, manifestSha256: lease.manifest_sha256 };
    const verified = await verifyResult(result, subject, { keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 });
    if (!verified.ok) this.violate('results verify', `${ticket.id}: ${verified.message}`);
    const parsed = ExecutionResult.safeParse(JSON.parse(result));
    if (parsed.success && parsed.data.error !== null) this.#truth(ticket, parsed.data.error.error_code, parsed.data.error.message);
  }

  /** What a failure says about the world must have happened in it. */
  #truth({ id, task }: Ticket, code: string, message: string): void {
    const lost = /the worker was lost (\d+) times/.exec(message)?.[1];
    const really = this.#lost.get(id) ?? 0;
    // A count that somebody has written is told as what it is.
    const isCount = message.startsWith('by the count in Redis') && this.#world.struck.has('forge-counts');
    if (lost !== undefined && Number(lost) > really && !isCount)
      this.violate('failures are true', `${id} says ${JSON.stringify(message)}, but ${really} were lost`);
    const crashes = Number(/(\d+) deliveries of this task crashed/.exec(message)?.[1] ?? 0);
    const crashed = this.#crashed.get(id) ?? 0;
    if (crashes > crashed) this.violate('failures are true', `${id} says ${JSON.stringify(message)}, but ${crashed} crashed`);
    if (message.includes(NO_LONGER_KEPT) && this.#earlier.get(id)?.succeeded !== true)
      this.violate('failures are true', `${id} says ${JSON.stringify(message)}, and had not succeeded`);
    const quiet = this.#world.struck.size === 0 && !UNCLEAR.has(task.trap);
    const cameBack = Number(/the same fault came back (\d+) times/.exec(message)?.[1] ?? 0);
    if (cameBack > crashed) this.violate('failures are true', `${id} says ${JSON.stringify(message)}, but ${crashed} crashed`);
    if (code === 'TOOL_OUTCOME_UNKNOWN' && quiet) this.violate('failures are true', `${id} does not know its outcome, and nothing went wrong`);
    if (message === 'cancelled' && !this.#world.struck.has('cancel')) this.violate('failures are true', `${id} was cancelled by nobody`);
  }

  #tool({ id, task }: Ticket, outcomes: readonly Recorded[], requests: number, store: StoreTwin): void {
    const succeeded = outcomes.some(({ status }) => status === 'SUCCESS');
    if (succeeded && requests === 0) this.violate('effect if and only if SUCCESS', `${id} was never requested`);
    if (task.kind !== 'tool-once') return;
    if (requests > this.#allowed(id)) this.violate('at most one effect', `${id} was requested ${requests} times`);
    const { open } = store.look('view', id) as { readonly open: unknown };
    if (open !== undefined && outcomes.length > 0 && !this.vanished.has(id)) this.violate('intents end', `${id} has ended and its intent is open`);
  }

  #file(ticket: Ticket, outcomes: readonly Recorded[], disk: Disk, store: StoreTwin, doubtful: boolean): void {
    const { id, task, destination, source } = ticket;
    const view = store.look('view', id) as JournalView;
    const effects = effectsOf(ticket, disk);
    if (effects.most > this.#allowed(id)) this.violate('at most one effect', `${id} put its file there ${effects.most} times`);
    if (view.open !== undefined && outcomes.length > 0 && !this.vanished.has(id)) this.violate('intents end', `${id} has ended and its intent is open`);
    const succeeded = view.success !== undefined || this.#earlier.get(id)?.succeeded === true || outcomes.some(({ status }) => status === 'SUCCESS');
    if (succeeded && effects.standing === 0) this.violate('effect if and only if SUCCESS', `${id} is a SUCCESS without effect`);
    // Nobody ends what was begun when its job was removed: the journal says that nobody knows.
    const isBegun = view.open !== undefined && this.vanished.has(id);
    if (!succeeded && outcomes.length > 0 && effects.standing > 0 && !doubtful && !isBegun) {
      this.violate('effect if and only if SUCCESS', `${id} is a FAILURE and its file is at ${destination ?? 'the vault'}`);
    }
    const { last } = effects;
    // Of any manifest: another one under the same id has its own effect there.
    const final = this.recorded(id).at(-1);
    // A SUCCESS that came back from the journal before its worker had recorded it stands in that FAILURE's place.
    const isFinal = final !== undefined && !(this.#restored.get(id) ?? []).some((at) => at > final.at);
    if (isFinal && final.status === 'FAILURE' && last !== undefined && last.at > final.at && effects.standing > 0 && !this.vanished.has(id))
      this.violate('a FAILURE stays true', `${id} was told to have failed, and had its effect ${Math.round(last.at - final.at)} ms later`);
    const told = outcomes.find(({ status }) => status === 'SUCCESS');
    if (told !== undefined && last !== undefined && !disk.stoodWithin(last.directory, last.at, told.at))
      this.violate('a SUCCESS is where its path leads', `${id} is a SUCCESS in a tree to which no path led`);
    const [original, another] = effects.originals;
    const moves = task.kind !== 'copy' && task.kind !== 'copy-across';
    if (succeeded && moves && source !== undefined && another === undefined && disk.at(source) === original)
      this.violate('effect if and only if SUCCESS', `${id} is a SUCCESS and its source is still there`);
  }

  /** A task has one effect; a new lease may add one to those of which nobody can tell. */
  #allowed(id: string): number {
    return 1 + (this.#earlier.get(id)?.effects ?? 0);
  }

  /** Nothing that was put into the world is gone, and nothing stands there half. */
  #bytes(disk: Disk): void {
    const found = new Set<string>();
    for (const { path, inode } of disk.names()) {
      if (inode.entries !== undefined) continue;
      found.add(inode.data);
      if (!path.includes('/.writ-') && !this.contents.has(inode.data)) this.violate('nothing stands half', `${path} holds ${JSON.stringify(inode.data)}`);
    }
    for (const content of this.contents) if (!found.has(content)) this.violate('nothing is clobbered', `${JSON.stringify(content)} is nowhere any more`);
  }
}

/** The journals with something in them. */
function used({ file, tool }: CheckedStores): readonly StoreTwin[] {
  return [file, tool].filter(({ isUsed }) => isUsed);
}
