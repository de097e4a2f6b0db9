import { MAX_JOB_BYTES } from '../../src/contracts/index.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import { signLease, signRevocation } from '../../src/lease/index.ts';
import { type Parts, put } from './parts.ts';
import type { TimedFault } from './scenario.ts';
import { EPOCH_MS } from './scheduler.ts';
import { DATA, KERNEL_KEY, OTHER, type Ticket } from './tasks.ts';
import { cheapEd25519 } from './twins/crypto.ts';
import type { Meddling } from './world.ts';

type Strike = { readonly [K in TimedFault['kind']]: (parts: Parts, fault: Extract<TimedFault, { kind: K }>) => void };

/** Plans a fault of the scenario. The loss of what is young needs a copy from before. */
export function planFault(parts: Parts, fault: TimedFault): void {
  const { world, redis, open } = parts;
  open.faults += 1;
  if (fault.kind === 'redis-loss' && fault.ageMs !== undefined) {
    const age = Math.min(fault.at, fault.ageMs);
    world.scheduler.at(fault.at - age, undefined, () => {
      const restore = redis.save();
      world.scheduler.at(age, undefined, () => loseRedis(parts, restore));
    });
    return;
  }
  world.scheduler.at(fault.at, undefined, () => {
    world.strike(fault.kind, JSON.stringify(fault));
    world.lastTrouble = Math.max(world.lastTrouble, endOf(parts, fault));
    open.faults -= 1;
    (STRIKES[fault.kind] as (parts: Parts, fault: TimedFault) => void)(parts, fault);
  });
}

function endOf({ world }: Parts, fault: TimedFault): number {
  return world.now + ('forMs' in fault ? (fault.forMs ?? 0) : 0);
}

const STRIKES: Strike = {
  kill: (parts, { worker }) => parts.world.kill(workerOf(parts, worker).process),
  stop(parts, { worker }) {
    const chosen = workerOf(parts, worker);
    parts.world.scheduler.at(0, chosen.process, () => void chosen.stop());
  },
  pause: (parts, { worker, forMs }) => parts.world.pause(workerOf(parts, worker).process, forMs),
  clock(parts, { worker, byMs, forMs }) {
    workerOf(parts, worker).process.skewMs += byMs;
    if (forMs === undefined) return;
    // Whoever serves there then has the machine's clock.
    parts.world.scheduler.at(forMs, undefined, () => {
      workerOf(parts, worker).process.skewMs -= byMs;
    });
  },
  power: cutPower,
  'redis-loss'(parts) {
    parts.open.faults += 1;
    loseRedis(parts, () => parts.redis.lose());
  },
  'redis-outage'(parts, fault) {
    parts.world.redisDownUntil = endOf(parts, fault);
  },
  'disk-full'(parts, fault) {
    parts.world.diskFullUntil = endOf(parts, fault);
  },
  slow(parts, fault) {
    parts.world.slowUntil = endOf(parts, fault);
    parts.world.slowFactor = fault.factor;
  },
  cancel: ({ redis, world, ...parts }, { task }) => onTask(parts, task, ({ id }) => redis.ledger.cancel(id, EPOCH_MS + world.now)),
  revoke: (parts, { task }) => onTask(parts, task, (ticket) => revoke(parts, ticket)),
  'damage-revocations'({ redis, world }, { forMs }) {
    redis.damaged = true;
    world.scheduler.at(forMs, undefined, () => {
      redis.damaged = false;
    });
  },
  'forge-row': (parts, { task }) => onTask(parts, task, (ticket) => forge(parts, ticket)),
  'forge-run': (parts, { task, worker }) => onTask(parts, task, (ticket) => forgeRun(parts, ticket, worker)),
  'forge-counts': (parts, { task }) => onTask(parts, task, (ticket) => forgeCounts(parts, ticket)),
  'exchange-directory': ({ disk }, { directory }) => disk.exchange(`${DATA}/${directory}`),
  'exchange-base'({ disk, world }, { base, how, forMs }) {
    const giveBack = disk.exchangeBase(base === 'data' ? DATA : OTHER, how);
    if (forMs !== undefined) world.scheduler.at(forMs, undefined, giveBack);
  },
  'put-back': ({ checker, ...parts }, { task }) => onTask(parts, task, ({ id }) => checker.putBack.add(id)),
  vanish: (parts) => void vanish(parts),
  'recreate-source': (parts, { task }) =>
    onTask(parts, task, ({ source }) => source !== undefined && put(parts, source, `recreated ${source} at ${parts.world.now}`)),
  'foreign-destination': (parts, { task }) =>
    onTask(parts, task, ({ destination }) => destination !== undefined && put(parts, destination, `foreign ${destination} at ${parts.world.now}`)),
  'kernel-outage'(parts, fault) {
    parts.world.kernelDownUntil = endOf(parts, fault);
  },
  'other-manifest': (parts, { task }) => onTask(parts, task, (ticket) => pushOther(parts, ticket)),
  'kernel-restart'({ kernel, world, kernelProcess }) {
    kernel.restart();
    if (kernelProcess.current !== undefined) world.kill(kernelProcess.current);
  },
  garbage: ({ redis, world }, { which }) => void redis.queue('file').add('raw', GARBAGE[which % GARBAGE.length], {}, EPOCH_MS + world.now),
};

const GARBAGE: readonly unknown[] = [
  null,
  'text',
  { v: 1, manifest: { task_id: 'garbage', capability_id: 'FILE_MOVE', inputs: {}, constraints: {} }, lease: 'no' },
  { v: 1, manifest: { task_id: 'wait', capability_id: 'FILE_MOVE', inputs: {}, constraints: {} } },
  'x'.repeat(MAX_JOB_BYTES),
];

/**
 * What chance lets somebody do to the files at one call. `occupy` puts a file where each task wants to put its own; `take-away` takes
 * what stands there, as whoever waits for files in a directory does.
 */
export function meddle(parts: Parts, kind: Meddling): void {
  const { world, disk, tickets } = parts;
  if (kind === 'occupy') {
    for (const { destination } of tickets) if (destination !== undefined) put(parts, destination, `foreign ${destination}`);
    return;
  }
  if (kind === 'take-away') {
    for (const { destination } of tickets) if (destination !== undefined) disk.rename(destination, `${destination}.taken`);
    return;
  }
  if (tickets.length === 0) return;
  const { source, destination } = world.random.pick(tickets);
  const now = Math.round(world.now);
  const occupy = (): void => {
    if (destination !== undefined) put(parts, destination, `foreign ${destination} at ${now}`);
  };
  const acts = [
    occupy,
    occupy,
    () => source !== undefined && put(parts, source, `recreated ${source} at ${now}`),
    () => disk.exchange(`${DATA}/${world.random.pick(['in', 'out'])}`),
    () => source !== undefined && disk.touch(source),
  ];
  world.random.pick(acts)();
}

/** Every process of the machine dies, and what was not synced may be gone. */
export function cutPower({ world, workers, disk, host, kernelProcess, apiProcess }: Parts): void {
  for (const { process } of workers) world.kill(process);
  for (const { current } of [kernelProcess, apiProcess]) if (current !== undefined) world.kill(current);
  disk.cut();
  for (const store of Object.values(host.stores)) store.cut();
}

function loseRedis({ world, open, pushAgain }: Parts, lose: () => void): void {
  open.faults -= 1;
  world.strike('redis-loss', '');
  lose();
  for (const push of pushAgain.values()) push();
}

function workerOf({ workers }: Parts, at: number): Parts['workers'][number] {
  const worker = workers[at % workers.length];
  if (worker === undefined) throw new Error('there is no worker');
  return worker;
}

function onTask({ tickets }: Pick<Parts, 'tickets'>, at: number, act: (ticket: Ticket) => unknown): void {
  const ticket = tickets[at % Math.max(1, tickets.length)];
  if (ticket !== undefined) void act(ticket);
}

const revocations = new WeakMap<Parts['redis'], string[]>();

/** The kernel signs the next entry of its log and publishes what is missing. */
async function revoke({ world, redis, revokedAt }: Parts, { lease }: Ticket): Promise<void> {
  const { jti, exp } = lease;
  const log = revocations.get(redis) ?? [];
  revocations.set(redis, log);
  log.push(await signRevocation({ v: 1, n: log.length + 1, jti, exp, at: Math.floor((EPOCH_MS + world.now) / 1000) }, KERNEL_KEY, cheapEd25519));
  if (redis.damaged) return;
  const head = await redis.feed.head();
  await redis.feed.publish(log.slice(head).map((token, index) => ({ n: head + index + 1, token })));
  revokedAt.set(jti, world.now);
}

const FORGED = '{"error":null,"output":{"forged":true},"signature":"","status":"SUCCESS"}';

/** Somebody writes a SUCCESS into the row that no executor has signed. */
async function forge({ world, redis }: Parts, { id, lease }: Ticket): Promise<void> {
  const { ledger } = redis;
  const row = await ledger.row(id);
  if (row?.state === 'success') return;
  await ledger.restore([{ taskId: id, manifestSha256: lease.manifest_sha256, result: FORGED, exp: lease.exp }], EPOCH_MS + world.now);
}

/** Somebody writes a row in which another manifest runs; only where there is none, because what is lost with a row is another fault. */
async function forgeRun({ world, redis, workers }: Parts, { id, lease }: Ticket, worker: number | undefined): Promise<void> {
  if ((await redis.ledger.row(id)) !== undefined) return;
  const instance = (worker === undefined ? undefined : workers[worker % workers.length]?.process.name) ?? 'nobody';
  await redis.forge({ taskId: id, manifestSha256: 'f'.repeat(64), jobKey: 'file:forged', instance, exp: lease.exp, now: EPOCH_MS + world.now });
}

/** Claims that nobody has made: the last owner never lived. */
async function forgeCounts({ world, redis }: Parts, { id, lease }: Ticket): Promise<void> {
  const row = await redis.ledger.row(id);
  if (row?.state !== 'running' || row.owner === '') return;
  const { jobKey, manifestSha256 } = row;
  for (let ghost = 1; ghost <= 5; ghost += 1)
    await redis.forge({ taskId: id, manifestSha256, jobKey, instance: `ghost-${ghost}`, exp: lease.exp, now: EPOCH_MS + world.now });
}

/** Its own answer is the other's conflict, or the task's if it comes first: only what belongs to the ticket is judged. */
async function pushOther({ world, redis }: Parts, { job, lease, queue }: Ticket): Promise<void> {
  const row = await redis.ledger.row(lease.task_id);
  if (row === undefined || row.manifestSha256 === '') return;
  const manifest = { ...job.manifest, constraints: { ...job.manifest.constraints, sensitivity: 'HIGH' as const } };
  const other = await signLease({ ...lease, manifest_sha256: manifestSha256(manifest) }, KERNEL_KEY, cheapEd25519);
  redis.queue(queue).add('raw', { v: 1, manifest, lease: other }, {}, EPOCH_MS + world.now);
}

/** A job that holds a task leaves the queue, and its worker dies. */
async function vanish({ world, redis, host, tickets, checker }: Parts): Promise<void> {
  for (const { id, queue } of tickets) {
    const row = await redis.ledger.row(id);
    const jobId = row?.jobKey.slice(row.jobKey.indexOf(':') + 1);
    if (row?.state !== 'running' || jobId === undefined || !redis.queue(queue).jobs.delete(jobId)) continue;
    checker.vanished.add(id);
    const owner = host.processes.find(({ name }) => name === row.owner);
    if (owner) world.kill(owner);
    return;
  }
}
