import { CANCELLED_MESSAGE, type Execution, failure, type StopReason } from './outcome.ts';

const REASONS: ReadonlySet<unknown> = new Set<StopReason>(['cancelled', 'timeout', 'lock-lost', 'shutdown']);

/** Why the run was told to stop; a signal aborted without a known reason counts as a shutdown: nothing is recorded. */
export function stopReason(signal: AbortSignal): StopReason | undefined {
  if (!signal.aborted) return undefined;
  return isStopReason(signal.reason) ? signal.reason : 'shutdown';
}

function isStopReason(reason: unknown): reason is StopReason {
  return REASONS.has(reason);
}

const ANSWERS = {
  cancelled: { kind: 'outcome', outcome: failure('EXECUTION_FAILED', CANCELLED_MESSAGE) },
  timeout: { kind: 'outcome', outcome: failure('RESOURCE_EXHAUSTED', 'the task ran longer than its wall-clock limit') },
  'lock-lost': { kind: 'interrupted', reason: 'lock-lost' },
  shutdown: { kind: 'interrupted', reason: 'shutdown' },
} satisfies Record<StopReason, Execution>;

/** The end of a run that was stopped before it had any effect. */
export function stopped(reason: StopReason): Execution {
  return ANSWERS[reason];
}
