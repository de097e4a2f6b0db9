import type { JsonObject } from '../json.ts';

/** What a tool answered (contracts/tool-result.schema.json). */
export interface PlanToolResult {
  readonly ok: boolean;
  readonly data: JsonObject | null;
  readonly error: JsonObject | null;
  readonly meta?: JsonObject;
}

/** The next thing that a plan wants done (contracts/tool-input.schema.json beside its place). */
export interface PlanCall {
  readonly kind: 'call';
  /** Place of the step in the plan, unique within it. */
  readonly path: string;
  readonly toolInput: {
    readonly runId: string;
    readonly stepId: string;
    readonly tool: { readonly ref: string; readonly provider: string; readonly operation: string };
    readonly params: JsonObject;
    readonly context: { readonly memory: JsonObject };
  };
  /** A declared retry of the step before: its number, the first attempt being 1, and how long it is waited for, milliseconds. */
  readonly retry?: { readonly attempt: number; readonly waitMs: number };
  /** Declared wall-clock limit of the call. */
  readonly timeoutMs?: number;
}

export interface PlanDone {
  readonly kind: 'done';
  /** The result envelope: header, output, error. */
  readonly envelope: JsonObject;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The step whose result ended the plan; `undefined` for SUCCESS and for errors that no call has raised. */
  readonly endedBy: string | undefined;
}

export type PlanState = PlanCall | PlanDone;

/**
 * One plan on its way, deterministic: the same envelope and results lead to the same states. `current` stays the same
 * until `feed` answers its call. A result that is no ToolResult is an error of the step, never an exception.
 */
export interface PlanRun {
  readonly current: PlanState;
  /** Number of concrete steps that have an answer. */
  readonly stepsDone: number;
  feed(result: unknown): PlanState;
  /** Ends the plan where it stands with an error of the driver's (cancel, authority); results and memory stay as they are. */
  end(error: { readonly code: string; readonly message: string }): PlanDone;
}

/** The pure core behind a port, for the kernel and the driver. */
export interface PlanLogic {
  start(envelope: unknown): PlanRun;
  /** The tools that a linked envelope can reach; the operation is unknown where only a run can tell. Or why it is no plan. */
  reach(envelope: unknown): PlanReach;
}

export type PlanReach =
  | { readonly ok: true; readonly tools: readonly { readonly ref: string; readonly operations: readonly string[] }[] }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** How a call reaches the world: read from `config/tool-bindings` of this host, never from an envelope. */
export type BoundAdapter = { readonly adapter: 'writ' } | { readonly adapter: 'http' | 'mcp'; readonly provider: string };

/** The binding of a tool; `undefined`: TOOL_UNAVAILABLE. */
export type Bindings = (ref: string) => BoundAdapter | undefined;

/** A call that its tool's definition does not have: the step will fail with this code. */
export interface WrongCall {
  readonly kind: 'wrong';
  readonly code: string;
  readonly message: string;
  /** The operation or the parameters that the definition lacks, and those that it has. */
  readonly names: readonly string[];
  readonly known: readonly string[];
}
