import type { ScheduleDefinition } from '../../src/contracts/index.ts';

/** How long journals keep answers, milliseconds; what Redis keeps is gone by then. */
export const RETENTION_MS = 30 * 86_400_000;

/** One task that producers want done. */
export interface SimTask {
  readonly kind: 'move' | 'copy' | 'delete' | 'move-across' | 'copy-across' | 'tool-none' | 'tool-once';
  /** Virtual milliseconds. */
  readonly at: number;
  /** Further raw jobs of the same task, under job ids of their own. */
  readonly duplicates: number;
  /** Life of its lease, seconds. */
  readonly ttlS: number;
  /** What is wrong with it, or with the world for it. */
  readonly trap:
    | 'none'
    | 'source-missing'
    | 'destination-there'
    | 'oversized-answer'
    | 'hostile-answer'
    | 'poison'
    | 'crash'
    | 'memory-crash'
    | 'failing-tool'
    | 'slow-tool';
}

/** One plan that a producer wants done. */
export interface SimPlan {
  readonly at: number;
  readonly steps: readonly ('none' | 'idempotent' | 'once' | 'copy' | 'approval')[];
  /** A step that fails does not end the plan. */
  readonly goesOn: boolean;
  /** Pushed by a raw producer, under a job id of its own. */
  readonly raw: boolean;
  /** An operator retries it when it has failed. */
  readonly retried: boolean;
}

/** Something that goes wrong at a virtual time. */
export type TimedFault =
  | { readonly kind: 'kill'; readonly at: number; readonly worker: number }
  | { readonly kind: 'stop'; readonly at: number; readonly worker: number }
  | { readonly kind: 'pause'; readonly at: number; readonly worker: number; readonly forMs: number }
  /** `forMs` undefined: its clock stays wrong. */
  | { readonly kind: 'clock'; readonly at: number; readonly worker: number; readonly byMs: number; readonly forMs?: number }
  | { readonly kind: 'power'; readonly at: number }
  /** `ageMs` undefined: everything is lost. */
  | { readonly kind: 'redis-loss'; readonly at: number; readonly ageMs: number | undefined }
  | { readonly kind: 'redis-outage'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'disk-full'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'slow'; readonly at: number; readonly forMs: number; readonly factor: number }
  | { readonly kind: 'cancel'; readonly at: number; readonly task: number }
  | { readonly kind: 'revoke'; readonly at: number; readonly task: number }
  | { readonly kind: 'damage-revocations'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'forge-row'; readonly at: number; readonly task: number }
  /** A row says that another manifest is at work under the id, in a worker that lives or in one that never did. */
  | { readonly kind: 'forge-run'; readonly at: number; readonly task: number; readonly worker: number | undefined }
  /** Somebody counts five lost workers into the row of a task that runs. */
  | { readonly kind: 'forge-counts'; readonly at: number; readonly task: number }
  | { readonly kind: 'exchange-directory'; readonly at: number; readonly directory: 'in' | 'out' }
  /** Something else stands at the path of a base directory, for so long; `forMs` undefined: from then on. */
  | { readonly kind: 'exchange-base'; readonly at: number; readonly base: 'data' | 'other'; readonly how: 'mounted' | 'replaced'; readonly forMs?: number }
  /** Somebody puts the file of a SUCCESS back where it came from, so long after it. */
  | { readonly kind: 'put-back'; readonly at: number; readonly task: number }
  /** A job that runs is gone, with its worker. */
  | { readonly kind: 'vanish'; readonly at: number }
  | { readonly kind: 'recreate-source'; readonly at: number; readonly task: number }
  | { readonly kind: 'foreign-destination'; readonly at: number; readonly task: number }
  /** A kernel that has lost its records has signed another manifest under the same id. */
  | { readonly kind: 'other-manifest'; readonly at: number; readonly task: number }
  | { readonly kind: 'kernel-outage'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'kernel-restart'; readonly at: number }
  | { readonly kind: 'garbage'; readonly at: number; readonly which: number };

/** Something that goes wrong at the nth call that leaves any process, or at the nth of those of one name. */
export interface CallFault {
  readonly call: number;
  readonly of?: string;
  readonly kind: 'kill-before' | 'kill-after' | 'lost-answer' | 'error' | 'slow' | 'pause' | 'power-after' | 'meddle' | 'occupy' | 'take-away';
}

/** The kernel's process dies around the nth write of this name. */
export interface StoreDeath {
  readonly of: 'decide' | 'update';
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** One schedule, and what happens to the kernel that keeps it. Times are virtual milliseconds. */
export interface SimSchedule {
  /** The steps of each plan that it makes; absent: it makes tasks. */
  readonly plan?: readonly ('none' | 'once')[];
  readonly cron: '* * * * *' | '*/2 * * * *';
  readonly missed: ScheduleDefinition['missed'];
  readonly overlap: ScheduleDefinition['overlap'];
  /** An operator pauses or removes it then. */
  readonly until: number;
  readonly last: 'pause' | 'remove';
  readonly deaths: readonly StoreDeath[];
  /** The kernel's process is gone for so long. */
  readonly down?: { readonly at: number; readonly forMs: number };
  /** The clock of the machine jumps. */
  readonly jump?: { readonly at: number; readonly byMs: number };
}

/** The kernel's process dies around the nth write of an approval. */
export interface ApprovalDeath {
  readonly of: 'ask' | 'decide';
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** Somebody who answers each question that a plan asks, once. */
export interface SimApprover {
  readonly answer: 'approve' | 'deny';
  /** How long after the question was seen; virtual milliseconds. */
  readonly afterMs: number;
  /** Says it once more when it was acknowledged. */
  readonly twice: boolean;
  /** Without it nothing that he says may count. */
  readonly mayAnswer: boolean;
}

/** What happens to the questions of the plans of a history. */
export interface SimApproval {
  readonly deadlineS: number;
  readonly approvers: readonly SimApprover[];
  readonly deaths: readonly ApprovalDeath[];
  /** The clock of the machine jumps. */
  readonly jump?: { readonly at: number; readonly byMs: number };
}

/** What a receiver of webhooks makes of a request; it has read it in any case. */
export type ReceiverAnswer = 'ok' | 'error' | 'busy' | 'redirect' | 'hang' | 'late' | 'cut' | 'gone' | 'lies';

/** Receivers of webhooks, and what happens to the API that tells them. Times are virtual milliseconds. */
export interface SimWebhooks {
  /** What the outbox has room for. */
  readonly room: 'wide' | 'narrow' | 'few';
  /** How the first requests are answered; after them with `ok`. */
  readonly answers: readonly ReceiverAnswer[];
  /** It answers nothing but errors, for a day and more. */
  readonly isDown: boolean;
  /** The process of the API is killed. */
  readonly kills: readonly number[];
  /** An operator sends all dead ones again in the end. */
  readonly resends: boolean;
  /** Redis is emptied before that. */
  readonly forgets: boolean;
  /** A task that failed is pushed again: it has two ends. */
  readonly retried: boolean;
  /** Ends of plans are told, too. */
  readonly plans?: true;
  /** The file of the task index is deleted. */
  readonly indexLost?: number;
  /** The clock of the API's machine jumps. */
  readonly jump?: { readonly at: number; readonly byMs: number };
}

/** Everything about a history that is decided before it begins. Leaving parts out makes another, smaller history. */
export interface Scenario {
  readonly seed: number;
  readonly workers: number;
  readonly concurrency: number;
  /** The file system renames without replacing; else link and unlink. */
  readonly renames: boolean;
  readonly tasks: readonly SimTask[];
  readonly plans: readonly SimPlan[];
  /** When the tool of files is bound on the host; before that it is not. */
  readonly boundAt: number;
  /** When all has ended, time passes beyond the retention of journals, and everything is pushed again. */
  readonly later?: boolean;
  /** The kernel makes tasks or plans by the clock, too. */
  readonly schedule?: SimSchedule;
  /** A plan waits for somebody's word. */
  readonly approval?: SimApproval;
  /** Receivers are told of ends. */
  readonly webhooks?: SimWebhooks;
  readonly faults: readonly TimedFault[];
  readonly calls: readonly CallFault[];
}

/** Faults begin and end within this time, milliseconds; then the world is left in peace. */
export const TROUBLE_MS = 30_000;

/** Every job of such a task takes five workers down, or crashes five times and more. */
export const HOPELESS = ['poison', 'crash', 'memory-crash'] as const;
export const isHopeless = ({ trap }: Pick<SimTask, 'trap'>): boolean => HOPELESS.some((one) => one === trap);
