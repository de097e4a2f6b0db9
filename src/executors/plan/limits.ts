import { BOUNDS, DEFAULT_MAX_STEPS } from '../../contracts/index.ts';

/**
 * Every size that a plan may reach. Bytes are those of the value as JSON text in UTF-8; levels count containers in containers.
 * They are below what the documents around a plan allow, so that whatever the core emits can be signed and queued.
 */
export const LIMITS = {
  envelope: { bytes: 4 * 1024 * 1024, levels: 30, nodes: 500_000 },
  definition: { bytes: 1024 * 1024, levels: 24, nodes: 200_000 },
  /** A value takes two bytes at least, so a result that may be signed never has more nodes. */
  toolResult: { bytes: BOUNDS.stepResult, levels: 24, nodes: BOUNDS.stepResult / 2 },
  /** Bound parameters of one step. */
  params: { bytes: 1024 * 1024, levels: 26 },
  memory: { bytes: BOUNDS.planMemory, levels: 26 },
  /** `output.results` and `output.trace` together. */
  output: { bytes: BOUNDS.planOutput },
  /** Steps that are reached, skipped ones and groups included. */
  visits: 100_000,
  /** Bytes read, compared and copied by conditions, templates and saves in the whole run. */
  work: 256 * 1024 * 1024,
  /** Definitions inside definitions that linking looks into; `maxDepth` is at most 32. */
  linkDepth: 256,
  stepPathLength: 1024,
  /** Problems that one error lists. */
  problems: 50,
  /** Rows that `describePlan` answers. */
  described: 10_000,
} as const;

export const DEFAULTS = { maxSteps: DEFAULT_MAX_STEPS, maxDepth: 5 } as const;
