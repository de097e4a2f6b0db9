import type { LeasePayload } from '../src/contracts/index.ts';
import { type Execution, failure } from '../src/core/outcome.ts';
import type { RunContext, TaskExecutor } from '../src/core/ports/index.ts';
import { stopped, stopReason } from '../src/core/stopped.ts';
import type { ClaimedDelivery, PipelineDeps } from './context.ts';
import type { Delivery } from './delivery.ts';

/**
 * The executors of one queue by what they do. What none of them does goes to the first, whose business it is to refuse
 * it.
 */
export function byCapability(executors: readonly [TaskExecutor, ...TaskExecutor[]]): PipelineDeps['executorOf'] {
  const table = new Map(executors.flatMap((executor) => [...executor.capabilities].map((capability) => [capability, executor] as const)));
  const [first] = executors;
  return (capabilityId) => table.get(capabilityId) ?? first;
}

/** What a run may rest on. */
export interface ExecutionGrant {
  /**
   * The lease that a new effect needs; `undefined` when an open intent is finished, whose authority is written in the
   * intent: then neither expiry nor a cancel counts, only the worker's own lock does.
   */
  readonly lease: LeasePayload | undefined;
}

/** Step 5: runs the executor under its wall-clock limit, with the gate that it must pass before an effect. */
export async function runExecutor(context: ClaimedDelivery, grant: ExecutionGrant, body: (run: RunContext) => Promise<Execution>): Promise<Execution> {
  const run = grant.lease === undefined ? uncancellable(context.delivery) : context.delivery;
  const timer = setTimeout(() => run.stop('timeout'), context.executor.maxRunMs);
  try {
    return await body({
      get signal() {
        return run.signal;
      },
      gate: () => gate(context, grant, run.signal),
    });
  } finally {
    clearTimeout(timer);
  }
}

/** A run that a cancel does not reach; everything else that stops the delivery stops it too. */
function uncancellable({ signal }: Delivery): Pick<Delivery, 'signal' | 'stop'> {
  const controller = new AbortController();
  const forward = (): void => {
    if (signal.reason !== 'cancelled') controller.abort(signal.reason);
  };
  if (signal.aborted) forward();
  else signal.addEventListener('abort', forward, { once: true });
  return { signal: controller.signal, stop: (reason) => controller.abort(reason) };
}

function gate({ delivery, deps, executor }: ClaimedDelivery, { lease }: ExecutionGrant, signal: AbortSignal): Execution | undefined {
  const reason = stopReason(signal) ?? (delivery.lockIsFresh() ? undefined : 'lock-lost');
  if (reason !== undefined) return stopped(reason);
  const exchanged = executor.memory && deps.exchanged?.();
  if (exchanged !== undefined) return { kind: 'busy', why: exchanged };
  if (lease === undefined) return undefined;
  const refusal = deps.authorities.authorize(lease, executor.capabilities);
  return refusal && { kind: 'outcome', outcome: failure(refusal.code, refusal.message) };
}
