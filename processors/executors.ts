import type { TaskExecutor } from '../src/core/ports/index.ts';

/** The executor of a capability among those of one queue. */
export type ExecutorOf = (capabilityId: string) => TaskExecutor;

/**
 * The executors of one queue by what they do. What none of them does goes to the first, whose business it is to refuse
 * it.
 */
export function byCapability(executors: readonly [TaskExecutor, ...TaskExecutor[]]): ExecutorOf {
  const table = new Map(executors.flatMap((executor) => [...executor.capabilities].map((capability) => [capability, executor] as const)));
  const [first] = executors;
  return (capabilityId) => table.get(capabilityId) ?? first;
}
