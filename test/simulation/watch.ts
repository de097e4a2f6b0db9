import { placeOfJob } from '../../queues/shards.ts';
import { TaskJob } from '../../src/contracts/index.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import type { RecordRequest } from '../../src/core/ports/index.ts';
import { CONFLICT_MESSAGE } from '../../src/core/refusal.ts';
import { type Parts, taskIdOf } from './parts.ts';
import type { SimProcess } from './scheduler.ts';
import { PLAN_QUEUE } from './twins/kernel.ts';
import type { QueueTwin } from './twins/queue.ts';

/** The checker sees every answer of the ledger that counts. */
export function watchLedger(parts: Parts): void {
  const { redis, reached, world, checker, host } = parts;
  const { ledger } = redis;
  const { record, claim, cancel, refuse, restore } = ledger;
  const seen = async (taskId: string): Promise<void> => {
    const row = await ledger.row(taskId);
    if (row !== undefined) reached.add(`row:${row.state}`);
  };
  Object.assign(ledger, {
    async record(request: RecordRequest) {
      const caller = world.caller?.name;
      const { owner, manifestSha256 = '' } = (await ledger.row(request.taskId)) ?? {};
      const answer = await record(request);
      const isRecorded = answer === 'recorded' || answer === 'awaited';
      if (isRecorded && owner !== caller) checker.violate('only the owner records', `${request.taskId} was ${owner}'s, and ${caller} recorded it`);
      reached.add(`record:${answer}`);
      await seen(request.taskId);
      if (isRecorded) onRecorded(parts, request, manifestSha256);
      return answer;
    },
    async claim(request: Parameters<typeof claim>[0]) {
      parts.claimed.add(request.taskId);
      const answer = await claim(request);
      reached.add(`claim:${answer.kind}`);
      // The request of a process that has died since: nobody will work on what it was granted.
      if ('epoch' in answer && world.caller?.alive === false) checker.onLost(request.taskId);
      await seen(request.taskId);
      return answer;
    },
    async restore(...args: Parameters<typeof restore>) {
      await restore(...args);
      for (const { taskId, result } of args[0]) {
        if (checker.signed(taskId, host.stores).some((one) => one.result === result)) checker.onRestored(taskId);
      }
    },
    async refuse(...args: Parameters<typeof refuse>) {
      const [taskId, key, text] = args;
      if (text.includes(CONFLICT_MESSAGE) && !isUsed(parts, taskId, key))
        checker.violate('a conflict is proven', `${key} is told that ${taskId} is used, and nobody has used it`);
      await refuse(...args);
    },
    async cancel(...args: Parameters<typeof cancel>) {
      const answer = await cancel(...args);
      reached.add(`cancel:${answer}`);
      await seen(args[0]);
      return answer;
    },
  });
}

/** What a journal knows of a task under the manifest that it ran as. */
type Proof = 'open' | 'success' | 'doubtful' | 'sent';

/** Whether another manifest than the job's has ended or begun under the task's id: in what was recorded, or in a journal. */
function isUsed({ redis, checker, host }: Parts, taskId: string, key: string): boolean {
  const { queue, jobId } = placeOfJob(key);
  const data: unknown = redis.queue(queue).jobs.get(jobId)?.data;
  const job = TaskJob.safeParse(data);
  if (!job.success) return true;
  const own = manifestSha256(job.data.manifest);
  if (checker.recorded(taskId).some((one) => one.manifestSha256 !== own)) return true;
  return [host.stores.file, host.stores.tool].some((store) => {
    // `sent`: of a call whose request has left, and whose end is a failure.
    const { open, success, doubtful, sent } = store.look('view', taskId) as Partial<Record<Proof, { readonly manifestSha256: string }>>;
    return [open, success, doubtful, sent].some((one) => one !== undefined && one.manifestSha256 !== own);
  });
}

function onRecorded({ checker, host, world, disk, tickets }: Parts, { taskId, status, result }: RecordRequest, manifestSha256: string): void {
  checker.onRecorded(taskId, { at: world.now, status, result, manifestSha256 }, host.stores);
  const { source, destination } = tickets.find(({ id }) => id === taskId) ?? {};
  if (status !== 'SUCCESS' || !checker.putBack.has(taskId) || source === undefined || destination === undefined) return;
  const after = 200 + world.random.integer(2_000);
  world.lastTrouble = Math.max(world.lastTrouble, world.now + after);
  world.scheduler.at(after, undefined, () => disk.rename(destination, source));
}

/** The checker sees every start and end of a job. */
export function watchQueue(parts: Parts, queue: QueueTwin): void {
  const { checker, reached, world, tickets } = parts;
  const calm = (): boolean => world.struck.size === 0 && tickets.every(({ task }) => task.trap !== 'poison');
  const ends = (id: string): void => {
    const job = queue.jobs.get(id);
    if (job === undefined || (job.state !== 'completed' && job.state !== 'failed')) return;
    reached.add(`job:${job.state}`);
    if (queue.name === PLAN_QUEUE) checker.planEndedAt.set(id, world.now);
    checker.onJobEnded(job, taskIdOf(job.data), calm(), turns.get(id) ?? 0);
  };
  const complete = queue.complete.bind(queue);
  const fail = queue.fail.bind(queue);
  const take = queue.take.bind(queue);
  const delay = queue.delay.bind(queue);
  const slots = world.scenario.workers * world.scenario.concurrency;
  /** When all slots were last in use: until then every job waits for its turn, and nobody starves it. */
  let lastFull = 0;
  const turns = new Map<string, number>();
  const noteFull = (): void => {
    const active = [...queue.jobs.values()].filter(({ state }) => state === 'active').length;
    if (active >= slots) lastFull = world.now;
  };
  const lookForStalled = queue.lookForStalled.bind(queue);
  Object.assign(queue, {
    complete(...args: Parameters<typeof complete>) {
      noteFull();
      complete(...args);
      ends(args[0]);
    },
    fail(...args: Parameters<typeof fail>) {
      noteFull();
      const end = fail(...args);
      ends(args[0]);
      return end;
    },
    delay(...args: Parameters<typeof delay>) {
      noteFull();
      delay(...args);
    },
    take(...args: Parameters<typeof take>) {
      const taken = take(...args);
      if (taken.job !== undefined) {
        checker.onStarted(taken.job);
        turns.set(taken.job.id, lastFull);
      }
      return taken;
    },
    lookForStalled(...args: Parameters<typeof lookForStalled>) {
      const stalled = lookForStalled(...args);
      for (const id of stalled) void countStall(parts, `${queue.name}:${id}`);
      return stalled;
    },
  });
}

/** The tasks that a process had claimed when it died have lost a worker. */
export async function countLosses({ redis, checker, claimed }: Parts, process: SimProcess): Promise<void> {
  for (const id of claimed) {
    const row = await redis.ledger.row(id);
    if (row?.state === 'running' && row.owner === process.name) checker.onLost(id);
  }
}

/** The queue takes a job away from a worker that lives: it has lost its task, too. */
async function countStall({ redis, checker, host, claimed, world }: Parts, jobKey: string): Promise<void> {
  if (world.struck.size === 0) checker.violate('who is well keeps its job', `${jobKey} was taken from its worker, and nothing went wrong`);
  for (const id of claimed) {
    const row = await redis.ledger.row(id);
    const lives = host.processes.some(({ name, alive }) => alive && name === row?.owner);
    if (row?.state === 'running' && row.jobKey === jobKey && lives) checker.onLost(id);
  }
}
