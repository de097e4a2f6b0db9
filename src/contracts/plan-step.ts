import { z } from 'zod';
import { AnyObject, Ref, text } from './plan-text.ts';
import { When } from './plan-when.ts';

const StepType = z.enum(['tool', 'capability', 'usecase']);
export type StepType = z.infer<typeof StepType>;

/** Codes after which a declared retry may try again; whether it does depends on what is known of the effect, too. */
export const RETRIED_CODES = ['EXECUTION_FAILED', 'SCOPE_UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'TOOL_FAILED', 'TOOL_UNAVAILABLE'] as const;

/** How often a failed call is made again, and after how long. */
export const Retry = z.strictObject({
  max: z.int().min(0).max(10).meta({ description: 'Further attempts after the first.' }),
  backoff_ms: z
    .int()
    .min(0)
    .max(3_600_000)
    .optional()
    .meta({ description: 'Before the second attempt; doubled before each one after it, an hour at most. 1 s by default.' }),
  codes: z.array(z.enum(RETRIED_CODES)).min(1).max(RETRIED_CODES.length).optional().meta({ description: 'Only after these; all of them by default.' }),
});
export type Retry = z.infer<typeof Retry>;

/** Time limit of one call of a tool, milliseconds; never longer than its binding's. */
export const CallTimeout = z
  .int()
  .min(10)
  .max(15 * 60_000);

/** The one step that stands in for a failed one; it has no policies of its own. */
const FallbackStep = z.strictObject({
  type: StepType,
  ref: Ref,
  /** Chooses the tool's action; `params.action` does, too. */
  operation: text(128).optional(),
  params: AnyObject.optional(),
});
export type FallbackStep = z.infer<typeof FallbackStep>;

const modes = {
  stop: { mode: z.literal('stop'), fallback: FallbackStep.optional() },
  continue: { mode: z.literal('continue'), fallback: FallbackStep.optional() },
  fallback: { mode: z.literal('fallback'), fallback: FallbackStep },
};

const CodeHandling = z.discriminatedUnion('mode', [z.strictObject(modes.stop), z.strictObject(modes.continue), z.strictObject(modes.fallback)]);
export type CodeHandling = z.infer<typeof CodeHandling>;

/** What becomes of an error of exactly this code, in place of `mode`. */
const by_code = z.record(text(64), CodeHandling).optional();

const OnError = z.discriminatedUnion('mode', [
  z.strictObject({ ...modes.stop, by_code }),
  z.strictObject({ ...modes.continue, by_code }),
  z.strictObject({ ...modes.fallback, by_code }),
]);
export type OnError = z.infer<typeof OnError>;

/** One step of a plan or of a definition's body (plan-executor.md, what the executor does). */
export const Step = z.strictObject({
  id: text(256).optional(),
  type: StepType,
  ref: Ref,
  params: AnyObject,
  operation: text(128).optional(),
  when: When.optional(),
  /** Destination under `memory.state` → a path into the result (`$.data.id`) or `lit:<text>`. */
  save: z.strictObject({ to: z.record(text(512), text(4096)) }).optional(),
  on_error: OnError.optional(),
  /** Of a tool; in place of what its action declares. */
  retry: Retry.optional(),
  timeout_ms: CallTimeout.optional(),
  for_each: z
    .strictObject({
      list: text(1024),
      as: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be a name')
        .optional(),
    })
    .optional(),
});
export type Step = z.infer<typeof Step>;

export const Steps = z.array(Step).min(1).max(10_000);
