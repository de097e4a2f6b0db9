/**
 * What was asked of the installation, written down before it was asked. The checker holds the world against it, so nothing
 * in here comes from what the product answers, but for the ids that it gives (of plans, undos) and the words it acknowledged.
 */
export interface Model {
  readonly tasks: TaskAsk[];
  readonly plans: PlanAsk[];
  readonly undos: UndoAsk[];
  readonly schedules: ScheduleAsk[];
  /** Files that nobody may touch: path → content. */
  readonly bystanders: Map<string, string>;
  /** By task: the signature of every SUCCESS that a producer was answered. */
  readonly answers: Map<string, Set<string>>;
  /** When Redis lost its data, milliseconds since 1970. */
  readonly losses: number[];
  readonly jumps: Jump[];
  /** Firings that were seen before their time, while the kernel's clock was ahead. */
  readonly early: EarlyFiring[];
  /** Dead notices that the operator was told to be due again. */
  resent: number;
  readonly looks: Look[];
  /** Tasks that search, by id. What they find is a look; their ends are told as others. */
  readonly searches: Set<string>;
  readonly letters: Letter[];
  readonly walks: Walk[];
}

/** The kernel's clock was moved, and set right again. Times are milliseconds since 1970 by everybody else's clock. */
export interface Jump {
  readonly aheadMs: number;
  readonly from: number;
  /** When the kernel had seen that it is right again, at the latest; infinite: not yet. */
  until: number;
}

export interface EarlyFiring {
  readonly schedule: string;
  /** Minutes since 1970. */
  readonly planned: number;
}

/** Endpoints of webhooks: one that is told of every file task and plan, one that a push names, one of the key that pushes. */
export const ENDPOINTS = ['files', 'named', 'mine'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** A file and the one task that may move, copy or delete it. */
export interface FileDeed {
  readonly does: 'move' | 'copy' | 'delete';
  readonly source: string;
  /** Of a delete: none, the vault has it. */
  readonly destination: string | undefined;
  /** Unique in the whole run. */
  readonly content: string;
}

/** What the driver did to the files once it had seen the effect, so that a second one would be seen. */
export interface Bait {
  /** Where the result was taken away to. */
  readonly taken: string;
  /** What was put under the source's name. */
  readonly content: string;
}

export interface TaskAsk extends FileDeed {
  readonly id: string;
  readonly told: readonly Endpoint[];
  /** Who may hear of it beside these. */
  readonly mayHear?: readonly Endpoint[];
  /** Milliseconds since 1970. */
  readonly notBefore?: number;
  /** Tasks of one content and different destinations: one of them has it. */
  readonly rival?: true;
  bait?: Bait;
}

/** A step that the plan reaches, by its path. */
export type StepAsk =
  | ({ readonly path: string; readonly kind: 'file'; readonly behind?: string } & FileDeed)
  /** `n` names the request to the provider; `refusals`: so many answers 503 come first. */
  | { readonly path: string; readonly kind: 'once'; readonly n: string; readonly retries: number; readonly refusals: number; readonly behind?: string }
  | { readonly path: string; readonly kind: 'repeatable'; readonly n: string; readonly behind?: string }
  | { readonly path: string; readonly kind: 'question'; readonly behind?: string };

export interface PlanAsk {
  id: string;
  readonly name: string;
  readonly steps: readonly StepAsk[];
  readonly told: readonly Endpoint[];
  readonly notBefore?: number;
  /** Every answer that was given to its questions, in the order of the asking. */
  readonly words: Word[];
}

/** One answer to a question, and what the API said of it. */
export interface Word {
  readonly step: string;
  readonly word: 'approved' | 'denied';
  readonly askedAt: number;
  /** When the outcome came. */
  answeredAt?: number;
  /** `acknowledged`: with that state; `refused`: with that code; `unclear`: no answer came. */
  outcome: { readonly kind: 'acknowledged'; readonly state: string } | { readonly kind: 'refused'; readonly code: string } | { readonly kind: 'unclear' };
}

export interface UndoAsk {
  readonly plan: string;
  /** Path of the step in the middle that cannot be taken back; the steps before it stand. */
  readonly stopsAt: string | undefined;
}

export interface ScheduleAsk {
  readonly id: string;
  readonly makes: 'request' | 'plan';
  readonly missed: 'latest' | 'all' | 'skip';
  readonly overlap: 'skip' | 'allow';
  /** Of a plan: what each firing copies, and to where, `planned` in its place. */
  readonly copies?: { readonly source: string; readonly content: string; readonly destination: (planned: string) => string };
  /** Nobody sees any more how its last firings ended. */
  removed?: true;
  /** When it was active, milliseconds: `may` from the first asking to the last, `must` from the acknowledgement to the next asking. */
  readonly active: Span[];
}

export interface Span {
  readonly mayFrom: number;
  mustFrom: number;
  mustUntil: number;
  mayUntil: number;
}

/** A search for what one file or message has, or has no more, after a change that only its maker could make; and its answer. */
export interface Look {
  readonly by: 'content' | 'content of all files' | 'file name' | 'message';
  readonly text: string;
  /** What was done before, by whoever knows what there is. */
  readonly after: string;
  /** The one place or id that must be found; undefined: nothing must be. */
  readonly wanted: string | undefined;
  readonly found: readonly string[];
  /** Files that the index left out. */
  readonly excluded: number;
}

/** A message, by the key of its producer: the same at every sending. */
export interface Letter {
  readonly key: string;
  /** The word that it has now, and no other message ever. */
  word: string;
  /** Every id that was given to it. */
  readonly ids: Set<number>;
  /** Milliseconds since 1970: when it was stored, and when somebody first asked for its end. */
  storedAt: number;
  endAskedAt: number;
  /** When that was done. */
  endedAt: number;
}

/** All pages of one search, while others wrote. */
export interface Walk {
  /** Stored before it began, and nobody asked for their end until it was over. */
  readonly wanted: readonly number[];
  /** Had ended before it began. */
  readonly gone: readonly number[];
  readonly found: readonly number[];
}

export function createModel(): Model {
  return {
    tasks: [],
    plans: [],
    undos: [],
    schedules: [],
    bystanders: new Map(),
    answers: new Map(),
    losses: [],
    jumps: [],
    early: [],
    resent: 0,
    looks: [],
    searches: new Set(),
    letters: [],
    walks: [],
  };
}
