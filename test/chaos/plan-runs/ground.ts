import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerOk, type HttpProvider, httpTool, startHttpProvider } from '../../support/http-provider.ts';
import { type PlanRig, startPlanRig } from '../../support/plan-rig.ts';
import { type Bundle, sharedBundle } from '../bundle.ts';
import { createPlans, type Plans } from '../plans.ts';
import { createHorde, type Horde } from './horde.ts';
import type { PlanWorkerSetup } from './worker-process.ts';

/** A whole installation whose workers are processes of their own, and a provider that counts what it is asked. */
export interface Ground extends AsyncDisposable {
  readonly plans: PlanRig;
  readonly provider: HttpProvider;
  readonly horde: Horde;
  /** Strikes that wait for a point. */
  readonly strikes: Plans;
}

export interface GroundOptions {
  /** What each process serves; `undefined`: everything. */
  readonly queues: readonly (string | undefined)[];
  /** Plans, file tasks and calls that one process has at a time; the defaults when absent. */
  readonly atATime?: number;
}

const ACTIONS = { send: 'once', refuse: 'once', put: 'idempotent' } as const;

export async function startGround({ queues, atATime }: GroundOptions): Promise<Ground> {
  const provider = await startHttpProvider((asked, response) => {
    if (asked.path === '/refuse') return void response.writeHead(422).end('no');
    answerOk(asked, response);
  });
  const few = atATime === undefined ? {} : { concurrency: atATime };
  const plans = await startPlanRig({
    tools: { 'chaos.http': httpTool('chaos.http', provider.url, ACTIONS, few) },
    config: {
      crypto: { implementation: 'node' },
      log: { level: 'silent' },
      worker: atATime === undefined ? {} : { plan_concurrency: atATime, file_concurrency: atATime },
    },
  });
  const strikes = createPlans(join(plans.rig.places.dataDir, 'strikes'));
  const bundle = await sharedBundle('test/chaos/plan-runs/worker-process.ts');
  const horde = await createHorde(queues, workerArgs(plans, strikes, bundle));
  return {
    plans,
    provider,
    horde,
    strikes,
    async [Symbol.asyncDispose]() {
      await horde[Symbol.asyncDispose]();
      strikes.close();
      bundle.remove();
      await plans[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

/** The arguments of a worker process for a queue; for all queues when there is none. */
function workerArgs({ rig }: PlanRig, { armed, fired }: Plans, { worker }: Bundle): (queue: string | undefined) => readonly string[] {
  const directory = join(rig.places.dataDir, 'chaos');
  mkdirSync(directory, { recursive: true });
  const files = new Map<string | undefined, string>();
  // Written once: another process of the queue may be reading it.
  const write = (queue: string | undefined): string => {
    const file = join(directory, `${queue ?? 'all'}.json`);
    const setup: PlanWorkerSetup = { config: rig.config, dataDir: rig.places.dataDir, armed, fired, ...(queue === undefined ? {} : { queues: [queue] }) };
    writeFileSync(file, JSON.stringify(setup));
    files.set(queue, file);
    return file;
  };
  return (queue) => [worker, files.get(queue) ?? write(queue)];
}
