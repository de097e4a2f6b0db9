import { TOOL_CALL } from '../../contracts/index.ts';
import type { HostMemory, TaskExecutor } from '../../core/ports/index.ts';
import { createRuns } from '../../core/runs.ts';
import { execute } from './execute.ts';
import { createMemory } from './memory.ts';
import type { OpenedAttempt, ToolDeps, ToolExecutorOptions } from './options.ts';

export type { ToolExecutorOptions } from './options.ts';
export { CRASH_POINTS, type CrashPoint, type OpenedAttempt } from './options.ts';

/** The tool executor always has a memory: a `once` request is sent at most once per lease. */
export interface ToolExecutor extends TaskExecutor {
  readonly memory: HostMemory;
}

const CAPABILITIES: ReadonlySet<string> = new Set([TOOL_CALL]);

/** Beyond the limits of the tools, for what surrounds a call; each call has the limit of its tool. */
const MARGIN_MS = 5000;

/**
 * The tool executor (docs/tools.md): calls tools that are bound on this host. `none` and `idempotent` actions are sent
 * again after a takeover with the same Idempotency-Key; the request of a `once` action leaves at most once per lease,
 * after its intent is on disk. Adapters and journal are started and stopped by their owners.
 */
export function createToolExecutor(options: ToolExecutorOptions): ToolExecutor {
  const deps: ToolDeps = { ...options, runs: options.runs ?? createRuns<OpenedAttempt>() };
  return {
    capabilities: CAPABILITIES,
    maxRunMs: Math.max(0, ...[...options.tools.values()].map(({ timeoutMs }) => timeoutMs)) + MARGIN_MS,
    memory: createMemory(deps),
    execute: (task, context) => execute(task, context, deps),
  };
}
