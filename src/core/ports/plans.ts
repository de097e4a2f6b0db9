import type { JsonObject } from '../json.ts';

export type PlanStatus = 'waiting' | 'running' | 'success' | 'failure';

/** A plan as everybody may look at it; the result envelope, which holds its memory, only with permission. */
export interface PlanView {
  /** `plan_sha256`. */
  readonly id: string;
  readonly state: PlanStatus;
  /** Concrete steps that have an answer, skipped ones not counted. */
  readonly stepsDone: number;
  readonly current: { readonly path: string; readonly tool: string; readonly operation: string; readonly taskId: string | undefined } | undefined;
  readonly cancelRequested: boolean;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** The signed end, JSON text (contracts/plan-result.schema.json). */
  readonly result: string | undefined;
  /** Milliseconds since 1970. */
  readonly updated: number;
}

export type PlanReceipt =
  | { readonly kind: 'accepted' | 'in-flight' | 'retried'; readonly id: string; readonly queue: string; readonly jobId: string }
  /** Ended with SUCCESS; `result` as in the view, its signature verified. */
  | { readonly kind: 'finished'; readonly id: string; readonly result: string };

/** Ways onto the plan queue, and what producers may see and do afterwards. Throws WritError INVALID_MANIFEST, REDIS_FULL, REDIS_UNAVAILABLE. */
export interface Plans {
  /** `envelope` is the linked one, over which the lease is. */
  push(job: { readonly envelope: JsonObject; readonly lease: string; readonly traceparent?: string }): Promise<PlanReceipt>;
  /**
   * How the plan stands. An end is one that an executor that is trusted here has signed; the rest are hints. Throws WritError
   * INVALID_RESULT for an end that nobody has signed, of a plan that is not on its way.
   */
  view(id: string): Promise<PlanView | undefined>;
  /** Takes effect between steps. Throws WritError INVALID_RESULT like `view`. */
  cancel(id: string): Promise<'requested' | 'ended' | 'not-found'>;
  /** Runs a failed plan on from where it stopped; `lease` replaces its lease. */
  retry(id: string, options?: { readonly lease?: string }): Promise<'retried' | 'wrong-state' | 'not-found'>;
  /** Told of every change of the view; lossy, so look as well. */
  onChange(id: string, listener: () => void): Promise<() => Promise<void>>;
}

/** What the kernel answers to a request for a plan lease. */
export interface GrantedPlanLease {
  readonly planSha256: string;
  readonly lease: string;
  readonly jti: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly capabilities: readonly string[];
}

/** Makes an envelope a plan: inlines what it reaches from this host's registries. Throws WritError INVALID_MANIFEST with the core's code in its message. */
export interface PlanLinker {
  link(envelope: unknown): { readonly envelope: JsonObject; readonly planSha256: string };
}

/** What everybody may look at while a plan runs, and the cancel that somebody asked; Redis, so it may vanish. */
export interface PlanViews {
  read(id: string): Promise<PlanView | undefined>;
  /** Writes what changed and tells listeners; answers whether a cancel was asked. `exp`: of the plan lease, seconds. */
  show(id: string, change: PlanViewChange, exp: number, now: number): Promise<boolean>;
  /** Tells the worker that has the plan, too. False when there is no such plan. */
  requestCancel(id: string, now: number): Promise<boolean>;
  clearCancel(id: string): Promise<void>;
  onChange(id: string, listener: () => void): Promise<() => Promise<void>>;
}

export type PlanViewChange = Pick<PlanView, 'state' | 'stepsDone' | 'current' | 'error' | 'result'>;
