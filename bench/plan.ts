import { Queue } from 'bullmq';
import { ConfigSchema } from '../config/schema.ts';
import { jobOptions, QUEUE_PREFIX } from '../queues/catalog.ts';
import { bestLibrary, inlineEd25519 } from '../src/adapters/crypto/inline.ts';
import { readPrivateKey } from '../src/data-dir/key-files.ts';
import { signPlanLease } from '../src/lease/index.ts';
import type { Round, Suite } from './contract.ts';
import { planOf, TOOL } from './plan/envelopes.ts';
import { coreMicrosPerStep } from './plan/in-process.ts';
import type { PlanSideReport } from './plan/worker.ts';
import { startSide } from './throughput/side.ts';
import { openSite, type Site } from './throughput/site.ts';

const PLANS = 10_000;
const BULK = 500;
const LONG_PLAN = 1000;
const LONG_RUNS = 3;

const WORKER = new URL('./plan/worker.js', import.meta.url);
const KERNEL = new URL('./plan/kernel.js', import.meta.url);

/** Plans whose steps do nothing, through the queue with kernel, leases, journal and ledger, against chains of bare BullMQ jobs. */
export const suite: Suite = {
  what: 'plans of steps that do nothing, against the same chains of bare BullMQ jobs; steps per second of a long plan',
  async open({ scale }) {
    const site = await openSite();
    const kernel = await startSide(KERNEL, { home: site.home });
    const plans = Math.max(1, Math.round(PLANS * scale));
    return {
      cases: [
        {
          name: 'plan2',
          kind: 'speed',
          peer: 'bullmq',
          ours: () => round(site, 'writ', plans, 2),
          theirs: () => round(site, 'bullmq', plans, 2),
        },
      ],
      async metrics() {
        const core = coreMicrosPerStep();
        const long: number[] = [];
        for (let n = 0; n < LONG_RUNS; n += 1) long.push((await round(site, 'writ', 1, LONG_PLAN)).value);
        const best = Math.min(...long);
        return {
          'core.us_per_step': Math.round(core * 10) / 10,
          'core.steps_per_s': Math.round(1e6 / core),
          'queue.plan1000_ms_per_step': Math.round((best / LONG_PLAN) * 100) / 100,
          'queue.plan1000_steps_per_s': Math.round(LONG_PLAN / (best / 1000)),
        };
      },
      async close() {
        await kernel.stop();
        await site.close();
      },
    };
  },
};

let rounds = 0;

async function round(site: Site, side: 'writ' | 'bullmq', plans: number, steps: number): Promise<Round> {
  rounds += 1;
  await site.redis.flushall();
  await preload(site, `r${rounds}`, plans, steps);
  const worker = await startSide<PlanSideReport>(WORKER, { side, home: site.home, plans, steps });
  const report = await worker.go();
  return { value: report.ms, work: { steps: report.steps } };
}

async function preload({ redis, places }: Site, name: string, plans: number, steps: number): Promise<void> {
  const queue = new Queue('plan', { connection: redis, prefix: QUEUE_PREFIX });
  const key = await readPrivateKey(places.kernelKey);
  const ed25519 = inlineEd25519(await bestLibrary());
  const { issuer: iss } = ConfigSchema.parse({}).lease;
  const iat = Math.floor(Date.now() / 1000);
  const job = async (id: string) => {
    const { envelope, planSha256 } = planOf(id, steps);
    const payload = { v: 1 as const, iss, aud: 'plan', jti: id, plan_sha256: planSha256, capabilities: [`TOOL_CALL:${TOOL}`], iat, exp: iat + 3600 };
    return { name: 'plan', data: { v: 1, envelope, lease: await signPlanLease(payload, key, ed25519) }, opts: jobOptions(`p_${planSha256}`, 1) };
  };
  for (let done = 0; done < plans; done += BULK) {
    await queue.addBulk(await Promise.all(Array.from({ length: Math.min(BULK, plans - done) }, (_, n) => job(`${name}-${done + n}`))));
  }
}
