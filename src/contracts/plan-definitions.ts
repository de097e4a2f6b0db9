import { z } from 'zod';
import { CallTimeout, Retry, Steps } from './plan-step.ts';
import { Ref, text } from './plan-text.ts';

const Version = text(64);
const Description = z.string().optional();

/** A tool as plans see it: names of actions and of their parameters, no address, no secret. */
export const ToolDefinition = z.strictObject({
  id: Ref,
  version: Version,
  description: Description,
  categories: z.array(z.string()).min(1),
  actions: z
    .array(
      z.strictObject({
        name: text(128),
        input: z.array(z.string()).optional(),
        output: z.string().optional(),
        /** For steps that declare none. */
        retry: Retry.optional(),
        timeout_ms: CallTimeout.optional(),
      }),
    )
    .min(1),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

/** Steps under one name. `inputs` and `outputs` are documentation. */
export const CapabilityDefinition = z.strictObject({
  id: Ref,
  version: Version,
  description: Description,
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  steps: Steps,
});
export type CapabilityDefinition = z.infer<typeof CapabilityDefinition>;

/** As a capability; what it reads and writes need not be written down. */
export const UsecaseDefinition = z.strictObject({
  id: Ref,
  version: Version,
  description: Description,
  inputs: z.array(z.string()).optional(),
  outputs: z.array(z.string()).optional(),
  steps: Steps,
});
export type UsecaseDefinition = z.infer<typeof UsecaseDefinition>;
