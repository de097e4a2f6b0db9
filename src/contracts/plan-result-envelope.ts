import { z } from 'zod';
import { EnvelopeHeader } from './plan-envelope.ts';
import { Memory } from './plan-memory.ts';
import { ResultEntry, TraceItem } from './plan-result.ts';
import { PlanError } from './plan-text.ts';

/** What is known about the run itself, on request; the same for the same envelope. */
const Debug = z.strictObject({
  stepCount: z.int().min(0),
  maxDepthReached: z.int().min(0),
  registry: z.strictObject({ sha256: z.string(), sources: z.record(z.string(), z.enum(['files', 'fallback'])) }),
});

/** What the executor emits (plan-executor.md, envelope I/O): `error` is null exactly for success. */
export const ResultEnvelope = z.strictObject({
  header: EnvelopeHeader,
  output: z.strictObject({ results: z.array(ResultEntry), memory: Memory, trace: z.array(TraceItem).optional(), debug: Debug.optional() }),
  error: PlanError.nullable(),
});
export type ResultEnvelope = z.infer<typeof ResultEnvelope>;
