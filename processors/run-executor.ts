import type { LeasePayload } from '../src/contracts/index.ts';
import type { Execution, StopReason } from '../src/core/outcome.ts';
import { failure } from '../src/core/outcome.ts';
import type { RunContext } from '../src/core/ports/index.ts';
import type { Delivery } from './delivery.ts';
import type { PipelineDeps } from './deps.ts';

/**
 * Step 5: runs the executor under its wall-clock limit, with the gate that it must pass before an effect.
 *
 * @param lease the lease that a new effect needs; `undefined` when an open intent is finished, whose authority is
 *   written in the intent: then neither expiry nor a cancel counts, only the worker's own lock does
 */
export async function runExecutor(
  delivery: Delivery,
  deps: PipelineDeps,
  lease: LeasePayload | undefined,
  body: (context: RunContext) => Promise<Execution>,
): Promise<Execution> {
  const limit = new AbortController();
  const forward = (): void => {
    if (lease !== undefined || delivery.signal.reason !== 'cancelled') limit.abort(delivery.signal.reason);
  };
  if (delivery.signal.aborted) forward();
  else delivery.signal.addEventListener('abort', forward, { once: true });
  const timer = setTimeout(() => limit.abort('timeout' satisfies StopReason), deps.executor.maxRunMs);
  try {
    return await body({ signal: limit.signal, gate: () => gate(delivery, deps, lease, limit.signal) });
  } finally {
    clearTimeout(timer);
    delivery.signal.removeEventListener('abort', forward);
  }
}

/** What an abort means as the end of a run that has not started its effect. */
const STOPPED = {
  cancelled: { kind: 'outcome', outcome: failure('EXECUTION_FAILED', 'cancelled') },
  timeout: { kind: 'outcome', outcome: failure('RESOURCE_EXHAUSTED', 'the task ran longer than its wall-clock limit') },
  'lock-lost': { kind: 'interrupted', reason: 'lock-lost' },
  shutdown: { kind: 'interrupted', reason: 'shutdown' },
} satisfies Record<StopReason, Execution>;

function gate(delivery: Delivery, deps: PipelineDeps, lease: LeasePayload | undefined, signal: AbortSignal): Execution | undefined {
  if (signal.aborted) return STOPPED[signal.reason as StopReason];
  if (!delivery.lockIsFresh()) return STOPPED['lock-lost'];
  if (lease === undefined) return undefined;
  const refusal = deps.authorities.authorize(lease, deps.executor.capabilities);
  return refusal && { kind: 'outcome', outcome: failure(refusal.code, refusal.message) };
}
