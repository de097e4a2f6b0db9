import type { z } from 'zod';
import type { Role } from '../../contracts/index.ts';
import { problemsOf, refusalOf } from '../../core/shape-problems.ts';
import { isAboutManifest } from '../shared/input/schema-fault.ts';
import type { McpCaller, McpServices } from './services.ts';

/** Every tool is one row: what it is called, who may call it, what goes in and out. `tools/list` is made from these rows. */

/** What a client may know before it calls (MCP 2025-11-25, ToolAnnotations); each is said, none is left to a default. */
export interface Annotations {
  /** Changes nothing. */
  readonly readOnlyHint: boolean;
  /** May take something away. */
  readonly destructiveHint: boolean;
  /** The same call again changes nothing more. */
  readonly idempotentHint: boolean;
  /** Reaches beyond this installation. */
  readonly openWorldHint: boolean;
}

export const LOOKS_ONLY: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** One call of a tool. */
export interface ToolCall<I> {
  readonly input: I;
  readonly caller: McpCaller;
  readonly services: McpServices;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

interface ToolFacts {
  readonly name: string;
  /** Further names that reach it; only the first is listed. */
  readonly aliases?: readonly string[];
  readonly title: string;
  readonly description: string;
  /** One of these roles is enough. */
  readonly access: readonly Role[];
  readonly annotations: Annotations;
}

/** A row as it is written. */
interface Tool<I, O extends object> extends ToolFacts {
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  readonly run: (call: ToolCall<I>) => Promise<O>;
}

/** A tool that judges its arguments itself, with words that every surface shares; the schema is for the list. */
interface JudgingTool<O extends object> extends ToolFacts {
  readonly input: z.ZodType;
  readonly output: z.ZodType<O>;
  readonly judge: (call: ToolCall<unknown>) => Promise<O>;
}

/** A row as the table has it. */
export interface AnyTool extends ToolFacts {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** Throws WritError INVALID_ARGUMENT or INVALID_MANIFEST for the arguments, and what the tool throws. */
  readonly call: (call: ToolCall<unknown>) => Promise<object>;
}

/** Keeps the types of a row's schemas between its check and its work, and forgets them for the table. */
export function tool<I, O extends object>({ run, ...row }: Tool<I, O>): AnyTool {
  return { ...row, call: async (call) => run({ ...call, input: checkedInput(row.input, call.input) }) };
}

export function judgingTool<O extends object>({ judge, ...row }: JudgingTool<O>): AnyTool {
  return { ...row, call: judge };
}

/** @throws WritError INVALID_ARGUMENT or, below a manifest or envelope, INVALID_MANIFEST; with the dotted path in `field` */
export function checkedInput<I>(schema: z.ZodType<I>, value: unknown): I {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const problems = problemsOf(read.error, schema, value);
  throw refusalOf(isAboutManifest(problems[0].field) ? 'INVALID_MANIFEST' : 'INVALID_ARGUMENT', problems, 'the arguments');
}
