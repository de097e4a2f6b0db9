import { z } from 'zod';
import { AnyObject, PlanError, Ref, text } from './plan-text.ts';

/** `success = true` ⇒ `error = null`; `success = false` ⇒ an error (plan-executor.md, result contract). */
export const Result = z.union([
  z.strictObject({ success: z.literal(true), data: AnyObject.nullable().optional(), error: z.null().optional(), meta: AnyObject.optional() }),
  z.strictObject({ success: z.literal(false), data: AnyObject.nullable().optional(), error: PlanError, meta: AnyObject.optional() }),
]);
export type Result = z.infer<typeof Result>;

const entry = { stepId: text(256), ref: Ref, meta: AnyObject.optional() };

/** One concrete step that was reached and not skipped, in order. */
export const ResultEntry = z.union([
  z.strictObject({ ...entry, ok: z.literal(true), data: AnyObject.nullable(), error: z.null() }),
  z.strictObject({ ...entry, ok: z.literal(false), data: z.null(), error: PlanError }),
]);
export type ResultEntry = z.infer<typeof ResultEntry>;

const traced = { stepId: text(256), path: text(1024), ref: Ref };
export const TraceItem = z.union([z.strictObject({ ...traced, ok: z.boolean() }), z.strictObject({ ...traced, skipped: z.literal(true) })]);
export type TraceItem = z.infer<typeof TraceItem>;
