import { existsSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { httpTool, startHttpProvider } from './http-provider.ts';
import { lookAgain } from './look-again.ts';
import { envelopeOf, fileStep, startPlanRig } from './plan-rig.ts';

/** What became of a plan that came last, while all others waited. */
export interface Passed {
  /** Requests that the provider holds, and all that it was ever asked. */
  readonly held: number;
  readonly asked: number;
  readonly state: string;
  readonly isCopied: boolean;
  /** From the push of the new plan to its end, milliseconds. */
  readonly ms: number;
}

export interface CrowdOptions {
  readonly plans: number;
  /** Calls that the provider gets at a time. */
  readonly calls: number;
  readonly timeoutMs: number;
}

/** As `writ worker` has them. */
const DEFAULT_LOCKS = { lock_ms: 9000, renew_ms: 3000, stalled_ms: 3000, heartbeat_ms: 3000 };
const PUSHED_TOGETHER = 100;

/** So many plans that each wait for a call to one provider, which never answers; then a plan whose only step copies a file. */
export async function passTheCrowd({ plans: crowd, calls, timeoutMs }: CrowdOptions): Promise<Passed> {
  const held: ServerResponse[] = [];
  await using provider = await startHttpProvider((_asked, response) => void held.push(response));
  const tool = httpTool('test.http', provider.url, { send: 'once' }, { timeout_ms: 300_000, concurrency: calls });
  await using plans = await startPlanRig({ tools: { 'test.http': tool }, config: { worker: DEFAULT_LOCKS } });
  await plans.rig.startWorker();
  const step = (n: number) => ({ type: 'tool', ref: 'test.http', operation: 'send', params: { n } });
  for (let at = 0; at < crowd; at += PUSHED_TOGETHER) {
    const some = await Promise.all(Array.from({ length: PUSHED_TOGETHER }, (_, n) => plans.link(envelopeOf([step(at + n)]))));
    await Promise.all(some.map(plans.push));
  }
  const redis = await plans.rig.redis.client();
  await lookAgain({
    // As many calls as the provider may have are on their way, and every plan waits for its own.
    look: async () => (held.length === calls && (await redis.zcard('{writ}:plan:delayed')) === crowd ? true : undefined),
    timeoutMs,
    failure: () => `${held.length} calls are held`,
  });

  const [from, to] = [join(plans.rig.base, 'a'), join(plans.rig.base, 'b')];
  writeFileSync(from, 'a');
  const plan = await plans.link(envelopeOf([fileStep('FILE_COPY', from, to)]));
  const start = performance.now();
  await plans.push(plan);
  const { view } = await plans.ended(plan.id);
  const ms = Math.round(performance.now() - start);
  return { held: held.length, asked: provider.asked.length, state: view.state, isCopied: existsSync(to), ms };
}
