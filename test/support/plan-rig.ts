import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from '../../queues/connection.ts';
import { createPlanJobs } from '../../queues/plan-jobs.ts';
import { createPlans } from '../../queues/plans.ts';
import { createRedisPlanViews } from '../../src/adapters/redis/plan-views.ts';
import { createRedisSignals } from '../../src/adapters/redis/signals.ts';
import { createPlanHistories } from '../../src/adapters/sqlite/plan-journal/plan-histories.ts';
import { createPlanPreview } from '../../src/bin/plan/preview.ts';
import { sharding } from '../../src/bin/producer-side.ts';
import { createKernelRole } from '../../src/bin/roles/kernel.ts';
import { ResultEnvelope } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanLeaseRequest, PlanReceipt, Plans, PlanView } from '../../src/core/ports/index.ts';
import { createKernelConnection, type KernelConnection } from '../../src/kernel/index.ts';
import { createLogger } from '../../src/observability/logging.ts';
import { lookAgain } from './look-again.ts';
import { PATIENCE_MS } from './patience.ts';
import { type Rig, type RigOptions, startRig } from './rig.ts';

export interface PlanRigOptions extends RigOptions {
  /** Tools of the test's own: definitions and bindings by ref, as they lie in `plan.registry_dir`. */
  readonly tools?: Readonly<Record<string, { readonly definition: object; readonly binding?: object }>>;
}

export interface LinkedPlan {
  readonly id: string;
  readonly envelope: JsonObject;
  readonly lease: string;
}

/** How a plan ended. */
export interface EndedPlan {
  readonly view: PlanView;
  readonly envelope: ResultEnvelope;
}

/** A whole installation with its kernel; workers on demand. */
export interface PlanRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly plans: Plans;
  readonly kernel: KernelConnection;
  /** Makes a plan of an envelope and has the kernel sign for it. */
  link(envelope: object, terms?: Omit<PlanLeaseRequest, 'envelope'> & { readonly ttl?: number }): Promise<LinkedPlan>;
  push(plan: LinkedPlan): Promise<PlanReceipt>;
  /** Waits until the plan has ended, or until its view is such. */
  ended(id: string, isIt?: (view: PlanView) => boolean, timeoutMs?: number): Promise<EndedPlan>;
  view(id: string, isIt: (view: PlanView) => boolean, timeoutMs?: number): Promise<PlanView>;
  /** Links, pushes, waits. */
  run(envelope: object): Promise<EndedPlan & { readonly id: string }>;
}

export async function startPlanRig({ tools = {}, ...options }: PlanRigOptions = {}): Promise<PlanRig> {
  const registry = mkdtempSync(join(tmpdir(), 'writ-registry-'));
  writeRegistry(registry, tools);
  const rig = await startRig({ ...options, config: { ...options.config, plan: { registry_dir: registry, sweep_ms: 500, ...options.config?.['plan'] } } });
  const { config, places } = rig;
  const kernelRole = await createKernelRole({ config, places, log: createLogger(options.logLevel ?? 'silent', 'kernel') });
  await kernelRole.start();
  const kernel = createKernelConnection(places.kernelSocket);
  const { target } = rig;
  const [connection, subscriber] = [createConnection(target, 'ledger'), createConnection(target, 'subscriber')];
  const jobs = createPlanJobs({ connection, pool: config.pool.id, ...sharding(config, connection) });
  const signals = createRedisSignals(subscriber);
  const views = createRedisPlanViews({ redis: connection, retentionMs: config.ledger.retention_s * 1000, listen: signals.onRecorded });
  const plans = createPlans({ jobs, views, ends: rig.results, histories: createPlanHistories(places.planJournal), clock: systemClock });
  const preview = createPlanPreview(config, { bindingOf: () => undefined });

  const view: PlanRig['view'] = (id, isIt, timeoutMs = PATIENCE_MS) => viewOf(plans, id, isIt, timeoutMs);
  const planRig: PlanRig = {
    rig,
    plans,
    kernel,
    async link(envelope, { ttl, ...terms } = {}) {
      const linked = preview.link(envelope);
      const { lease } = await kernel.issuePlan({ envelope: linked.envelope, ...terms }, ttl === undefined ? {} : { ttl });
      return { id: linked.planSha256, envelope: linked.envelope, lease };
    },
    push: ({ envelope, lease }) => plans.push({ envelope, lease }),
    view,
    async ended(id, isIt = () => true, timeoutMs) {
      const found = await view(id, (one) => one.result !== undefined && isIt(one), timeoutMs);
      return { view: found, envelope: ResultEnvelope.parse(JSON.parse(found.result ?? '').envelope) };
    },
    async run(envelope) {
      const plan = await planRig.link(envelope);
      await planRig.push(plan);
      return { id: plan.id, ...(await planRig.ended(plan.id)) };
    },
    async [Symbol.asyncDispose]() {
      kernel.close();
      await jobs.close();
      connection.disconnect();
      subscriber.disconnect();
      await kernelRole.stop();
      await rig.stop();
      rmSync(registry, { recursive: true, force: true });
    },
  };
  return planRig;
}

async function viewOf(plans: Plans, id: string, isIt: (view: PlanView) => boolean, timeoutMs: number): Promise<PlanView> {
  let last: PlanView | undefined;
  return lookAgain({
    async look() {
      last = await plans.view(id);
      return last && isIt(last) ? last : undefined;
    },
    listen: (changed) => plans.onChange(id, changed),
    timeoutMs,
    failure: () => `no such view of the plan within ${timeoutMs} ms; last: ${JSON.stringify(last)}`,
  });
}

function writeRegistry(directory: string, tools: PlanRigOptions['tools'] & object): void {
  for (const part of ['registries', 'config/tools', 'config/tool-bindings']) mkdirSync(join(directory, part), { recursive: true });
  const entries = Object.entries(tools);
  const write = (file: string, content: unknown): void => writeFileSync(join(directory, file), JSON.stringify(content));
  write(
    'registries/tools.json',
    entries.map(([ref, { definition }]) => ({ ...definition, path: `config/tools/${ref}.tool.json` })),
  );
  for (const [ref, { definition, binding }] of entries) {
    write(`config/tools/${ref}.tool.json`, definition);
    if (binding !== undefined) write(`config/tool-bindings/${ref}.json`, binding);
  }
}

let plansMade = 0;

/** An execution envelope of its own identity around these steps. */
export function envelopeOf(steps: readonly object[], changes: { readonly options?: object; readonly state?: object; readonly id?: string } = {}): object {
  plansMade += 1;
  const id = changes.id ?? `plan-${process.pid}-${plansMade}`;
  return {
    header: { id, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'test', destination: 'executor', type: 'execution' },
    payload: {
      steps,
      memory: { session_id: id, state: changes.state ?? {} },
      ...(changes.options === undefined ? {} : { options: changes.options }),
    },
  };
}

/** A step of one of the file tools. */
export function fileStep(operation: string, source: string, destination?: string, changes: object = {}): object {
  const params = { source_path: source, ...(destination === undefined ? {} : { destination_path: destination }) };
  const constraints = operation === 'FILE_DELETE' ? { constraints: { reversible: true } } : {};
  return { type: 'tool', ref: 'writ.file', operation, params: { ...params, ...constraints }, ...changes };
}
