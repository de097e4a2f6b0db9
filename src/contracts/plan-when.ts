import { z } from 'zod';
import { text } from './plan-text.ts';

/** Dotted path that begins with `memory`, `input` or `context`. */
const Path = text(1024);
const Ordered = z.union([z.number(), z.string()]);

/** One comparison, or a combination of them. Closed: every form has exactly these keys. */
export type WhenPredicate =
  | { path: string; eq: unknown }
  | { path: string; ne: unknown }
  | { path: string; gt: number | string }
  | { path: string; gte: number | string }
  | { path: string; lt: number | string }
  | { path: string; lte: number | string }
  | { path: string; in: unknown[] }
  | { path: string; exists: boolean }
  | { all: WhenPredicate[] }
  | { any: WhenPredicate[] }
  | { not: WhenPredicate };

/** `z.unknown()` alone would let the key be absent. */
const AnyJson: z.ZodType<unknown> = z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())]);

const Predicate: z.ZodType<WhenPredicate> = z.union([
  z.strictObject({ path: Path, eq: AnyJson }),
  z.strictObject({ path: Path, ne: AnyJson }),
  z.strictObject({ path: Path, gt: Ordered }),
  z.strictObject({ path: Path, gte: Ordered }),
  z.strictObject({ path: Path, lt: Ordered }),
  z.strictObject({ path: Path, lte: Ordered }),
  z.strictObject({ path: Path, in: z.array(z.unknown()).max(1000) }),
  z.strictObject({ path: Path, exists: z.boolean() }),
  z.strictObject({ all: z.array(z.lazy(() => Predicate)).max(100) }),
  z.strictObject({ any: z.array(z.lazy(() => Predicate)).max(100) }),
  z.strictObject({ not: z.lazy(() => Predicate) }),
]);

/** A condition: restricted CEL as text, or a predicate object (docs/plans.md). */
export const When = z.union([text(1024), Predicate]);
export type When = z.infer<typeof When>;
