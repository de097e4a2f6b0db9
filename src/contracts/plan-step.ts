import { z } from 'zod';
import { AnyObject, Ref, text } from './plan-text.ts';
import { When } from './plan-when.ts';

const StepType = z.enum(['tool', 'capability', 'usecase']);
export type StepType = z.infer<typeof StepType>;

/** The one step that stands in for a failed one; it has no policies of its own. */
const FallbackStep = z.strictObject({
  type: StepType,
  ref: Ref,
  /** Chooses the tool's action; `params.action` does, too. */
  operation: text(128).optional(),
  params: AnyObject.optional(),
});
export type FallbackStep = z.infer<typeof FallbackStep>;

const OnError = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('stop'), fallback: FallbackStep.optional() }),
  z.strictObject({ mode: z.literal('continue'), fallback: FallbackStep.optional() }),
  z.strictObject({ mode: z.literal('fallback'), fallback: FallbackStep }),
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
