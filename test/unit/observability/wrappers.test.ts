import { describe, expect, it } from 'vitest';
import type { TaskJob } from '../../../src/contracts/index.ts';
import type { Enqueue, KernelOperations, Ledger, PlanKernel, Plans } from '../../../src/core/ports/index.ts';
import { countClaims, countLeases } from '../../../src/observability/counting.ts';
import type { Metrics } from '../../../src/observability/metrics.ts';
import { observePushes, tracePlanPushes } from '../../../src/observability/pushes.ts';
import { traceCalls } from '../../../src/observability/tracing/calls.ts';
import { keepingTracer } from '../../support/spans.ts';

const JOB: TaskJob = { v: 1, manifest: { task_id: 't', capability_id: 'FILE_COPY', inputs: {}, constraints: {} } };
const METRICS = { inc: () => undefined } as Pick<Metrics, 'inc'> as Metrics;
const TRACE = { tracer: keepingTracer().tracer, queueOf: () => 'file', prefer: 'job' } as const;
const COUNT = { metrics: METRICS, surface: 'http' } as const;

/** A port whose every method answers this, and keeps what it was called with. */
function recording<T>(answers: Readonly<Record<string, unknown>>): { readonly port: T; readonly heard: unknown[][] } {
  const heard: unknown[][] = [];
  const methods = Object.entries(answers).map(([name, answer]) => [
    name,
    async (...args: unknown[]) => {
      heard.push(args);
      return answer;
    },
  ]);
  return { port: Object.fromEntries(methods) as T, heard };
}

const RECEIPT = { kind: 'accepted', taskId: 't', id: 'p', queue: 'file', jobId: 'j' };
const ENQUEUE = { push: RECEIPT, pushMany: [RECEIPT], retry: { kind: 'retried' }, jobState: undefined };
const KERNEL = { issue: [], judge: [], regrantMany: [], regrant: {}, undo: {}, issuePlan: {}, derive: {}, askApproval: {}, revoke: {} };
const PLANS = { push: RECEIPT, retry: 'retried', cancel: 'requested', view: undefined };

/** What stands between a port and its callers, over a port that records. */
const WRAPPERS: readonly (readonly [name: string, Readonly<Record<string, unknown>>, (port: never) => object])[] = [
  ['pushes that are counted', ENQUEUE, (port: Enqueue) => observePushes(port, { count: COUNT })],
  ['pushes that are traced', ENQUEUE, (port: Enqueue) => observePushes(port, { trace: TRACE })],
  ['pushes of plans that are traced', PLANS, (port: Plans) => tracePlanPushes(port, 'plan', TRACE.tracer)],
  ['claims that are counted', { claim: { kind: 'new' } }, (port: Ledger) => countClaims(port, METRICS)],
  ['leases that are counted', KERNEL, (port: KernelOperations & PlanKernel) => countLeases(port, METRICS)],
  [
    'calls of the kernel that are traced',
    KERNEL,
    (port: KernelOperations & PlanKernel) => traceCalls(port, { issue: 'verify', issuePlan: 'verify' }, TRACE.tracer),
  ],
];

describe('a port that is watched', () => {
  it.each(WRAPPERS.flatMap(([name, answers, wrap]) => Object.keys(answers).map((method) => [name, method, answers, wrap] as const)))(
    'hands on every argument: %s, %s',
    async (_, method, answers, wrap) => {
      const { port, heard } = recording<never>(answers);
      const [second, third] = [{ second: true }, { third: true }];
      const first = method === 'pushMany' ? [JOB] : { ...JOB, envelope: {}, lease: 'l' };
      await (Reflect.get(wrap(port), method) as (...args: unknown[]) => Promise<unknown>)(first, second, third);
      // What a method of the port does not have its callers cannot give; what it has must arrive.
      expect(heard[0]?.[1] ?? second).toBe(second);
      expect(heard[0]?.length).toBeGreaterThanOrEqual(SINGLE.has(method) ? 1 : 2);
    },
  );
});

/** Methods with one argument. */
const SINGLE: ReadonlySet<string> = new Set(['claim', 'derive', 'askApproval', 'revoke']);
