import type { ApproverRole, PlanFilter, PlanHistory, PlanPage } from '../../contracts/index.ts';
import type { JsonObject } from '../json.ts';

export type PlanStatus = 'waiting' | 'running' | 'success' | 'failure';

/** Until when, milliseconds since 1970: the backoff of a declared retry, or somebody's word. */
export type PlanWait = { readonly for: 'retry'; readonly until: number } | { readonly for: 'approval'; readonly until: number; readonly role: ApproverRole };

/** A plan as everybody may look at it; the result envelope, which holds its memory, only with permission. */
export interface PlanView {
  /** `plan_sha256`. */
  readonly id: string;
  readonly state: PlanStatus;
  /** Concrete steps that have an answer, skipped ones not counted. */
  readonly stepsDone: number;
  readonly current:
    | {
        readonly path: string;
        readonly tool: string;
        readonly operation: string;
        readonly taskId: string | undefined;
        /** What the step waits for before it begins, and until when; milliseconds since 1970. */
        readonly waits?: PlanWait | undefined;
      }
    | undefined;
  readonly cancelRequested: boolean;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** The signed end, JSON text (contracts/plan-result.schema.json). */
  readonly result: string | undefined;
  /** Milliseconds since 1970. */
  readonly updated: number;
  /** Milliseconds since 1970 before which a plan that waits does not begin. */
  readonly notBefore?: number;
}

export type PlanReceipt =
  | { readonly kind: 'accepted' | 'in-flight' | 'retried'; readonly id: string; readonly queue: string; readonly jobId: string }
  /** Ended with SUCCESS; `result` as in the view, its signature verified. */
  | { readonly kind: 'finished'; readonly id: string; readonly result: string };

export interface PlanPushOptions {
  /** Milliseconds since 1970 before which the plan does not begin, at most 366 days ahead; the past is now. Its lease must hold then. */
  readonly notBefore?: number;
  /** BullMQ's: 0 (as without) is taken before every other, 1 before 2, at most 2,097,152. */
  readonly priority?: number;
  /**
   * Milliseconds since 1970 of the one ask that every push with this time stands for (docs/plan-protocol.md 11): a plan that has ended is not
   * run on by it. Without it each push is an ask of its own.
   */
  readonly askedAt?: number;
}

/** What a plan runs as. */
export interface KeptPlan {
  /** The linked one; it has the plan's hash. */
  readonly envelope: JsonObject;
  /** The newest that is known here, as it was found: whoever reads it verifies it. */
  readonly lease: string;
}

/** Ways onto the plan queue, and what producers may see and do afterwards. Throws WritError INVALID_MANIFEST, REDIS_FULL, REDIS_UNAVAILABLE. */
export interface Plans {
  /** `envelope` is the linked one, over which the lease is. */
  push(job: { readonly envelope: JsonObject; readonly lease: string; readonly traceparent?: string }, options?: PlanPushOptions): Promise<PlanReceipt>;
  /**
   * How the plan stands. An end is one that an executor that is trusted here has signed; the rest are hints. Throws WritError
   * INVALID_RESULT for an end that nobody has signed, of a plan that is not on its way.
   */
  view(id: string): Promise<PlanView | undefined>;
  /**
   * The signed end of a plan that does not run, JSON text: as `view` has it, and where Redis has forgotten the plan as this host's plan
   * journal has it. `undefined` where nobody whom we trust has signed one.
   */
  end(id: string): Promise<string | undefined>;
  /**
   * Plans that wait, then those that this host's plan journal knows, newest change first. A page may be short, even empty,
   * and still have a `next`. Throws WritError INVALID_ARGUMENT for a cursor that is none, STORAGE_UNAVAILABLE.
   */
  list(filter: PlanFilter, page: ListPage): Promise<PlanPage>;
  /** The steps that have ended, with their times; `undefined` where this host's plan journal does not know the plan. Throws as `list`. */
  history(id: string, page: ListPage): Promise<PlanHistory | undefined>;
  /** Takes effect between steps. Throws WritError INVALID_RESULT like `view`. */
  cancel(id: string): Promise<'requested' | 'ended' | 'not-found'>;
  /** A plan that is parked looks at once at what it waits for; nothing happens to another one. */
  wake(id: string): Promise<void>;
  /** Envelope and lease of a plan, by this host's plan journal, else by its job; `undefined` where neither has them. Throws as `list`. */
  kept(id: string): Promise<KeptPlan | undefined>;
  /** Runs a failed plan on from where it stopped; `lease` replaces its lease. */
  retry(id: string, options?: { readonly lease?: string }): Promise<'retried' | 'wrong-state' | 'not-found'>;
  /** Told of every change of the view; lossy, so look as well. */
  onChange(id: string, listener: () => void): Promise<() => Promise<void>>;
}

/** Which part of a list. `cursor`: `next` of the page before. */
export interface ListPage {
  readonly cursor?: string;
  readonly limit: number;
}

/** A plan as the journal lists it. */
export interface KnownPlan {
  readonly id: string;
  readonly state: 'running' | 'success' | 'failure';
  readonly stepsDone: number;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** Milliseconds since 1970. */
  readonly updated: number;
}

/** The plan journal of this host, for looking. Throws WritError STORAGE_UNAVAILABLE, INVALID_ARGUMENT for a cursor that is none. */
export interface PlanHistories {
  list(filter: PlanFilter, page: ListPage): { readonly plans: readonly KnownPlan[]; readonly next?: string };
  /** Which of these plans run, or ended, by their ids. */
  states(ids: readonly string[]): ReadonlyMap<string, KnownPlan['state']>;
  /** What the list says of one plan; `undefined` of one that has not begun here. */
  known(id: string): KnownPlan | undefined;
  history(id: string, page: ListPage): PlanHistory | undefined;
  /** What the plan runs as; `undefined` of one that has not begun here, or was trimmed. */
  kept(id: string): KeptPlan | undefined;
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
  /**
   * Writes how a delivery has the plan and tells listeners; answers whether a cancel was asked. Nothing is written over a later
   * generation, nor over the end of this one, unless it is that end. `exp`: of the plan lease, seconds.
   */
  show(id: string, change: PlanViewChange, exp: number, now: number): Promise<boolean>;
  /**
   * Shows that the plan waits, for somebody who pushes it and has seen `seen`; a cancel that was asked before is forgotten. False, and
   * nothing is written, where it has ended since. `beginsAt`: not before, seconds since 1970.
   */
  open(id: string, seen: PlanView | undefined, beginsAt: number, now: number): Promise<boolean>;
  /** Tells the worker that has the plan, too. False when there is no such plan. */
  requestCancel(id: string, now: number): Promise<boolean>;
  /** For somebody who has a failed plan run on: a cancel that was asked before is forgotten. */
  clearCancel(id: string): Promise<void>;
  onChange(id: string, listener: () => void): Promise<() => Promise<void>>;
}

/** `generation`: how often the plan had been retried when the delivery that writes began. */
export type PlanViewChange = Pick<PlanView, 'state' | 'stepsDone' | 'current' | 'error' | 'result'> & { readonly generation: number };
