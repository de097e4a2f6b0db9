import { z } from 'zod';
import { Memory } from './plan-memory.ts';
import { Result } from './plan-result.ts';
import { Steps } from './plan-step.ts';
import { AnyObject, Ref, text } from './plan-text.ts';

export const Timestamp = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

export const EnvelopeHeader = z.strictObject({
  id: text(512),
  version: text(64),
  timestamp: Timestamp,
  source: text(512),
  destination: text(512),
  type: text(128),
  trace_id: text(1024).optional(),
});
export type EnvelopeHeader = z.infer<typeof EnvelopeHeader>;

export const RegistryCategory = z.enum(['tools', 'capabilities', 'usecases']);
export type RegistryCategory = z.infer<typeof RegistryCategory>;

/** One definition (`content.id` is `ref`), or with `ref` = `category` a map of definitions by ref. */
const RegistryFile = z.strictObject({ category: RegistryCategory, ref: Ref, content: AnyObject });
export type RegistryFile = z.infer<typeof RegistryFile>;
const RegistryFiles = z.array(RegistryFile).max(10_000);

const FallbackRegistry = z.looseObject({ tools: AnyObject.optional(), capabilities: AnyObject.optional(), usecases: AnyObject.optional() });

/** Tools that a plan calls at most, unless its options say more. */
export const DEFAULT_MAX_STEPS = 30;

/** Free beside the keys that the executor reads. */
const Options = z.looseObject({
  debug: z.boolean().optional(),
  maxSteps: z.int().min(1).max(1000).optional(),
  maxDepth: z.int().min(1).max(32).optional(),
  /** `all`: templates are filled in the steps of the envelope itself, too. */
  interpolate: z.enum(['registry', 'all']).optional(),
  fallbackRegistry: FallbackRegistry.optional(),
  context: AnyObject.optional(),
  input: AnyObject.optional(),
});

const payload = {
  memory: Memory.optional(),
  result: Result.optional(),
  options: Options.optional(),
  fallbackRegistry: FallbackRegistry.optional(),
};

export const ExecutionEnvelope = z.strictObject({
  header: EnvelopeHeader,
  payload: z.strictObject({ steps: Steps, registryFiles: RegistryFiles.optional(), ...payload }),
});
export type ExecutionEnvelope = z.infer<typeof ExecutionEnvelope>;

/** Definitions under way to somebody who adds the steps; it cannot be executed. */
const DefinitionsEnvelope = z.strictObject({ header: EnvelopeHeader, payload: z.strictObject({ registryFiles: RegistryFiles, ...payload }) });

export const LegacyEnvelope = z.strictObject({
  context: z.looseObject({ memory: Memory, source: z.unknown().optional() }),
  input: z
    .looseObject({
      steps: Steps.optional(),
      registryFiles: RegistryFiles.optional(),
      options: Options.optional(),
      fallbackRegistry: FallbackRegistry.optional(),
    })
    .optional(),
  output: AnyObject.optional(),
  error: AnyObject.nullable().optional(),
});
export type LegacyEnvelope = z.infer<typeof LegacyEnvelope>;

/** What the executor receives (plan-executor.md, envelope I/O). */
export const Envelope = z.union([LegacyEnvelope, ExecutionEnvelope, DefinitionsEnvelope]);
export type Envelope = z.infer<typeof Envelope>;
