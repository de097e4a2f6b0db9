import type { PlanEvent } from '../../contracts/index.ts';
import type { JsonObject } from '../json.ts';
import type { WrongCall } from './plan.ts';
import type { PlanLinker, Plans } from './plans.ts';
import type { PlanEndReader } from './signatures.ts';
import type { ToolEffectClass } from './tool.ts';

/** Where a concrete step will go. */
export type PlannedEffect =
  | { readonly kind: 'task'; readonly capability: string; readonly queue: string; readonly effect: ToolEffectClass; readonly reversible: boolean }
  | { readonly kind: 'request'; readonly adapter: string; readonly provider: string; readonly queue: string; readonly effect: ToolEffectClass }
  /** Waits for somebody's word. */
  | { readonly kind: 'approval' }
  /** The tool has no binding here: the step will be answered TOOL_UNAVAILABLE. */
  /** Its tool has no binding here; or, `of` its operation, one that does not have it. */
  | { readonly kind: 'unbound'; readonly of?: 'operation' }
  | WrongCall;

/** One line of a plan's tree, in the order in which it may run. */
export interface PlannedStep {
  /** Place in the plan; `#*` stands for the turns of a `for_each`, `!fb` for a fallback. */
  readonly path: string;
  /** 0 for the steps of the envelope itself. */
  readonly depth: number;
  readonly type: 'tool' | 'capability' | 'usecase';
  readonly ref: string;
  /** Of a tool; `undefined` when it is not known before the step runs. */
  readonly operation: string | undefined;
  /** `when`, `for_each contract`, `on error: continue`, `save`: what decides whether and how it runs. */
  readonly policies: readonly string[];
  /** `undefined` for steps that are made of others. */
  readonly effect: PlannedEffect | undefined;
}

/** Makes plans of envelopes and says what they would do. Needs neither Redis nor keys, and runs nothing. */
export interface PlanPreview extends PlanLinker {
  outline(linked: JsonObject): readonly PlannedStep[];
}

/** Judges what was signed about plans, with public keys only. */
export interface PlanSignatures extends PlanEndReader {
  /** Why the lease does not stand for this plan on this host's plan queue; `undefined` when it does. Expiry is not looked at. */
  refusalOf(lease: string, planSha256: string): Promise<string | undefined>;
  /** When the lease expires, as it says itself: seconds since 1970, `undefined` when it is no lease. */
  expiryOf(lease: string): number | undefined;
}

/** What a plan's lease should allow; the kernel's defaults unless given. */
export interface PlanTerms {
  /** Life of the lease, seconds. */
  readonly ttlS?: number;
  /** Seconds since 1970 from which it counts; from now on unless given. */
  readonly notBeforeS?: number;
  readonly capabilities?: readonly string[];
  readonly scopes?: readonly string[];
  /** An earlier lease of the same plan: the new one allows what that did, whatever else is asked. Refused when that one is revoked. */
  readonly renews?: string;
}

/** Changes of all plans, for those who look; lossy, several changes may come as one. */
export interface PlanEvents {
  /** Answers how to stop listening. */
  listen(listener: (event: PlanEvent) => void): () => void;
}

/** Plans as a surface that stays open has them. */
export interface PlanGateway {
  readonly plans: Plans;
  readonly preview: PlanPreview;
  readonly signatures: PlanSignatures;
  readonly events: PlanEvents;
}
