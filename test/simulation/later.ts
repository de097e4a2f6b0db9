import { canonicalJson } from '../../src/core/canonical-json.ts';
import { sha256Hex } from '../../src/core/hash.ts';
import type { PlanRecord } from '../../src/core/ports/index.ts';
import { fixedKeyring, signLease, signPlanLease, verifyPlanEnd } from '../../src/lease/index.ts';
import type { Parts } from './parts.ts';
import { checkPlan, stepIds } from './plan-checker.ts';
import { isTrimmed, planRecord } from './plan-record.ts';
import type { PlanTicket } from './plan-tickets.ts';
import { producePlan, produceTask } from './producers.ts';
import { isHopeless, RETENTION_MS } from './scenario.ts';
import { EPOCH_MS } from './scheduler.ts';
import { EXECUTOR_KEY, ISSUER, KERNEL_KEY, type Ticket } from './tasks.ts';
import { cheapEd25519 } from './twins/crypto.ts';
import { PLAN_QUEUE } from './twins/kernel.ts';

const LEAP_MS = RETENTION_MS + 10 * 86_400_000;
/** Everything is pushed again within this time, while the journals are being trimmed. */
const PUSH_MS = 3_000;
const TTL_S = 3_600;

/** Judges what has happened after the leap. */
export type JudgeLater = () => Promise<void>;

/**
 * The machine is switched off when all has ended, and on again when every answer is too old to be kept: Redis has forgotten tasks
 * and jobs, journals are trimmed, and everything is pushed again, under new leases. Answers who judges it in the end.
 */
export async function leap(parts: Parts, start: (at: number) => void, taskIdOf: (data: unknown) => string): Promise<JudgeLater> {
  const { world, checker, redis, plans, tickets, workers, revokedAt } = parts;
  await switchOff(parts);
  await checker.atEnd(parts, taskIdOf);
  for (const ticket of plans) await checkPlan(parts, ticket);
  const before = plans.map((ticket) => ({ ticket, end: endOf(parts, ticket), done: doneFor(parts, ticket) }));

  world.scheduler.now += LEAP_MS;
  world.lastTrouble = world.now;
  for (const queue of redis.queues.values()) queue.jobs.clear();
  redis.views.rows.clear();
  revokedAt.clear();
  checker.leap(parts);
  world.trace.say(world.now, 'WORLD', 'everything is pushed again after the retention');

  for (const at of workers.keys()) start(at);
  for (const ticket of tickets) if (!isHopeless(ticket.task)) produceTask(parts, await renewed(ticket, world.now, world.random.integer(PUSH_MS)));
  for (const ticket of plans) producePlan(parts, await renewedPlan(ticket, world.now, world.random.integer(PUSH_MS)), true);
  return async () => {
    for (const one of before) await judge(parts, one);
  };
}

/** No worker is left, and what they had sent has arrived: no network keeps a request for forty days. */
async function switchOff({ world, workers }: Parts): Promise<void> {
  const { onDeath } = world;
  world.onDeath = () => undefined;
  for (const { process } of workers) world.kill(process);
  world.onDeath = onDeath;
  await world.scheduler.run(() => world.requestsUnderWay === 0, { untilMs: Number.POSITIVE_INFINITY, events: Number.POSITIVE_INFINITY });
}

async function renewed(ticket: Ticket, now: number, at: number): Promise<Ticket> {
  const iat = Math.floor((EPOCH_MS + now) / 1000);
  const lease = { ...ticket.lease, jti: `later-${ticket.index}`, iat, exp: iat + TTL_S };
  return { ...ticket, lease, job: { ...ticket.job, lease: await signLease(lease, KERNEL_KEY, cheapEd25519) }, task: { ...ticket.task, at } };
}

async function renewedPlan(ticket: PlanTicket, now: number, at: number): Promise<PlanTicket> {
  const iat = Math.floor((EPOCH_MS + now) / 1000);
  const payload = { v: 1, iss: ISSUER, aud: PLAN_QUEUE, jti: `later-plan-${ticket.index}`, plan_sha256: ticket.planSha256, iat, exp: iat + TTL_S } as const;
  const lease = await signPlanLease(
    { ...payload, capabilities: ['TOOL_CALL:sim.tool', 'TOOL_CALL:files', 'FILE_COPY', 'FILE_MOVE'] },
    KERNEL_KEY,
    cheapEd25519,
  );
  return { ...ticket, lease, plan: { ...ticket.plan, at } };
}

interface PlanBefore {
  readonly ticket: PlanTicket;
  readonly end: PlanRecord['end'];
  readonly done: string;
}

const endOf = ({ host }: Parts, { planSha256 }: PlanTicket): PlanRecord['end'] => planRecord(host.stores, planSha256)?.end;

/** What the plan has done so far: requests of each of its steps, and files that it has put somewhere. */
function doneFor({ host, disk }: Parts, ticket: PlanTicket): string {
  const requests = [...stepIds(ticket).keys()].map((id) => host.tools.requests.get(id) ?? 0);
  const puts = ticket.files.map(({ destination }) => disk.log.filter(({ by, to }) => by !== 'world' && to === destination).length);
  return sha256Hex(canonicalJson([requests, puts]));
}

async function judge(parts: Parts, { ticket, end, done }: PlanBefore): Promise<void> {
  const { checker, host, redis } = parts;
  const name = `plan-${ticket.index}`;
  if ((end?.status === 'SUCCESS' || isTrimmed(host.stores, ticket.planSha256)) && doneFor(parts, ticket) !== done)
    checker.violate('what was run is not run again', `${name} had ended with ${end?.status}, and was run again after the retention`);
  const result = redis.views.rows.get(ticket.planSha256)?.result;
  const verified =
    result === undefined || (await verifyPlanEnd(result, ticket.planSha256, { keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 })).ok;
  if (!verified) checker.violate('results verify', `the end of ${name} after the retention`);
}
