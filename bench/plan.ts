import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { ConfigSchema } from '../config/schema.ts';
import { jobOptions, QUEUE_PREFIX } from '../queues/catalog.ts';
import { bestLibrary, inlineEd25519 } from '../src/adapters/crypto/inline.ts';
import { readPrivateKey } from '../src/data-dir/key-files.ts';
import { signPlanLease } from '../src/lease/index.ts';
import type { Case, Round, Suite } from './contract.ts';
import { planOf, type StepWork, TOOL } from './plan/envelopes.ts';
import { coreMicrosPerStep } from './plan/in-process.ts';
import type { KernelCounts } from './plan/kernel.ts';
import type { PlanSideReport } from './plan/worker.ts';
import { type Side, startSide } from './throughput/side.ts';
import { openSite, type Site } from './throughput/site.ts';

const PLANS = 10_000;
const BULK = 500;
const LONG_PLAN = 1000;
const LONG_RUNS = 3;
const COPIES = 200;
const PARKED = 1000;
/** The parked plans are looked at when none of them comes back by itself soon. */
const PARKED_FOR_MS = 12_000;
const PARKED_LOOK_MS = 10_000;
const LOOK_MS = 100;

const WORKER = new URL('./plan/worker.js', import.meta.url);
const KERNEL = new URL('./plan/kernel.js', import.meta.url);

/** Plans through the queue with kernel, leases, journal and ledger, against chains of bare BullMQ jobs. */
export const suite: Suite = {
  what: 'plans of steps that do nothing or copy a file, against the same chains of bare BullMQ jobs; what a step costs by part',
  async open({ scale }) {
    const site = await openSite();
    const kernel = await startSide<never>(KERNEL, { home: site.home });
    const bench = { site, kernel, costs: noCosts() };
    const plans = Math.max(1, Math.round(PLANS * scale));
    const compare = (name: string, work: () => StepWork, size: { plans: number; steps: number }): Case => ({
      name,
      kind: 'speed',
      peer: 'bullmq',
      ours: () => round('writ', work(), size, bench),
      theirs: () => round('bullmq', work(), size, bench),
    });
    return {
      cases: [
        compare('plan1000', () => 'noop', { plans: 1, steps: LONG_PLAN }),
        compare('copies', () => filesIn(site), { plans: 1, steps: COPIES }),
        compare('plan2', () => 'noop', { plans, steps: 2 }),
      ],
      async metrics() {
        const core = coreMicrosPerStep();
        bench.costs = noCosts();
        for (let n = 0; n < LONG_RUNS; n += 1) await round('writ', 'noop', { plans: 1, steps: LONG_PLAN }, bench);
        return {
          'core.us_per_step': Math.round(core * 10) / 10,
          'core.steps_per_s': Math.round(1e6 / core),
          ...perStep('queue.plan1000', bench.costs),
          ...(await parkedCosts(bench)),
        };
      },
      async close() {
        await kernel.stop();
        await site.close();
      },
    };
  },
};

interface Bench {
  readonly site: Site;
  readonly kernel: Side<never>;
  costs: ReturnType<typeof noCosts>;
}

function noCosts() {
  return { ms: Number.POSITIVE_INFINITY, steps: 0, workerMs: 0, redisMs: 0, kernelMs: 0, commands: 0, scripts: 0, calls: 0, signed: 0, verified: 0 };
}

let rounds = 0;

async function round(side: 'writ' | 'bullmq', work: StepWork, { plans, steps }: { plans: number; steps: number }, bench: Bench): Promise<Round> {
  const { site, kernel, costs } = bench;
  rounds += 1;
  await site.redis.flushall();
  await preload(site, `r${rounds}`, plans, steps, work);
  const worker = await startSide<PlanSideReport>(WORKER, { side, home: site.home, plans, steps, work });
  const [before, signedBefore] = [await spent(bench), await kernel.ask<KernelCounts>()];
  const report = await worker.go();
  if (side === 'writ') {
    const [after, signedAfter] = [await spent(bench), await kernel.ask<KernelCounts>()];
    costs.ms = Math.min(costs.ms, report.ms / report.steps);
    costs.steps += report.steps;
    costs.workerMs += report.cpuMs;
    for (const part of ['redisMs', 'kernelMs', 'commands', 'scripts'] as const) costs[part] += after[part] - before[part];
    for (const part of ['calls', 'signed', 'verified'] as const) costs[part] += signedAfter[part] - signedBefore[part];
  }
  return { value: report.ms, work: { steps: report.steps } };
}

/** The fastest run, and means of all. */
function perStep(name: string, { ms, steps, ...sums }: Bench['costs']): Readonly<Record<string, number>> {
  const mean = (sum: number): number => Math.round((sum / steps) * 1000) / 1000;
  return {
    [`${name}_ms_per_step`]: Math.round(ms * 100) / 100,
    [`${name}_steps_per_s`]: Math.round(1000 / ms),
    [`${name}_worker_cpu_ms_per_step`]: mean(sums.workerMs),
    [`${name}_redis_cpu_ms_per_step`]: mean(sums.redisMs),
    [`${name}_kernel_cpu_ms_per_step`]: mean(sums.kernelMs),
    [`${name}_redis_commands_per_step`]: mean(sums.commands),
    [`${name}_redis_scripts_per_step`]: mean(sums.scripts),
    [`${name}_kernel_calls_per_step`]: mean(sums.calls),
    [`${name}_kernel_signed_per_step`]: mean(sums.signed),
    [`${name}_kernel_verified_per_step`]: mean(sums.verified),
  };
}

const TICK_MS = 10;

/** CPU and commands so far. Commands inside scripts count as well. */
async function spent({ site, kernel }: Bench) {
  const [cpu, stats] = await Promise.all([site.redis.info('cpu'), site.redis.info('commandstats')]);
  const seconds = (name: string): number => Number(new RegExp(`^${name}:(.*)$`, 'm').exec(cpu)?.[1]);
  const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name = '', count]) => ({ name, count: Number(count) }));
  const sum = (which: (name: string) => boolean): number => calls.reduce((total, { name, count }) => total + (which(name) ? count : 0), 0);
  return {
    redisMs: (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1000,
    kernelMs: cpuTicksOf(kernel.pid) * TICK_MS,
    commands: sum(() => true),
    scripts: sum((name) => name === 'evalsha' || name === 'eval'),
  };
}

function cpuTicksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** What 1,000 plans cost in a second that wait for a step which nobody serves, while nothing happens. */
async function parkedCosts(bench: Bench): Promise<Readonly<Record<string, number>>> {
  const { site } = bench;
  const measure = async (plans: number): Promise<{ workerMs: number; commands: number }> => {
    rounds += 1;
    await site.redis.flushall();
    await preload(site, `r${rounds}`, plans, 2, 'noop');
    const worker = await startSide<PlanSideReport>(WORKER, { side: 'writ', home: site.home, plans, steps: 2, work: 'noop', idle: true });
    worker.begin();
    while ((await site.redis.zcard(`${QUEUE_PREFIX}:plan:delayed`)) < plans || (await backOffOf(site)) < PARKED_FOR_MS) await delay(LOOK_MS);
    const [before, ticks] = [await spent(bench), cpuTicksOf(worker.pid)];
    await delay(PARKED_LOOK_MS);
    const [after, ticksAfter] = [await spent(bench), cpuTicksOf(worker.pid)];
    await worker.stop();
    const perSecond = 1000 / PARKED_LOOK_MS;
    return { workerMs: (ticksAfter - ticks) * TICK_MS * perSecond, commands: (after.commands - before.commands) * perSecond };
  };
  const [none, many] = [await measure(0), await measure(PARKED)];
  return {
    'parked0.worker_cpu_ms_per_s': none.workerMs,
    'parked0.redis_commands_per_s': Math.round(none.commands),
    'parked1000.worker_cpu_ms_per_s': many.workerMs,
    'parked1000.redis_commands_per_s': Math.round(many.commands),
  };
}

/** How long the first parked plan still sleeps, milliseconds; endless when there is none. */
async function backOffOf({ redis }: Site): Promise<number> {
  const [, score] = await redis.zrange(`${QUEUE_PREFIX}:plan:delayed`, '0', '0', 'WITHSCORES');
  // BullMQ's score is a time and a counter of 12 bits.
  return score === undefined ? Number.POSITIVE_INFINITY : Number(score) / 0x1000 - Date.now();
}

/** Small files in a directory of their own. */
function filesIn({ home }: Site): StepWork {
  rounds += 1;
  const base = path.join(home, 'files', `r${rounds}`);
  const [from, to] = [path.join(base, 'in'), path.join(base, 'out')];
  for (const directory of [from, to]) mkdirSync(directory, { recursive: true });
  for (let n = 0; n < COPIES; n += 1) writeFileSync(path.join(from, String(n)), `file ${n}`);
  return { from, to };
}

async function preload({ redis, places }: Site, name: string, plans: number, steps: number, work: StepWork): Promise<void> {
  const queue = new Queue('plan', { connection: redis, prefix: QUEUE_PREFIX });
  const key = await readPrivateKey(places.kernelKey);
  const ed25519 = inlineEd25519(await bestLibrary());
  const { issuer: iss } = ConfigSchema.parse({}).lease;
  const iat = Math.floor(Date.now() / 1000);
  const job = async (id: string) => {
    const { envelope, planSha256 } = planOf(id, steps, work);
    const payload = {
      v: 1 as const,
      iss,
      aud: 'plan',
      jti: id,
      plan_sha256: planSha256,
      capabilities: [`TOOL_CALL:${TOOL}`, 'FILE_COPY'],
      iat,
      exp: iat + 3600,
    };
    return { name: 'plan', data: { v: 1, envelope, lease: await signPlanLease(payload, key, ed25519) }, opts: jobOptions(`p_${planSha256}`, 1) };
  };
  for (let done = 0; done < plans; done += BULK) {
    await queue.addBulk(await Promise.all(Array.from({ length: Math.min(BULK, plans - done) }, (_, n) => job(`${name}-${done + n}`))));
  }
}
