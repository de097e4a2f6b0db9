import type { NoticeList, NoticeResend, NoticeState, NoticeView, WebhookList, WebhookTest } from '../../contracts/index.ts';

/** A notice that has not been delivered yet. */
export interface PendingNotice {
  /** Counts up; of one task at one endpoint the smaller is sent first. */
  readonly seq: number;
  readonly id: string;
  /** What it is about: a task by its id, or a plan (`notice-subject.ts`). */
  readonly taskId: string;
  readonly body: string;
  readonly attempts: number;
  readonly firstAt: number | undefined;
}

/** A notice without its text, and what makes the text again. */
export interface BareNotice {
  readonly id: string;
  readonly endpoint: string;
  /** A task by its id, or a plan (`notice-subject.ts`). */
  readonly taskId: string;
  readonly capabilityId: string;
  /** When the task ended, milliseconds since 1970. */
  readonly at: number;
}

export interface NewNotice extends BareNotice {
  readonly body: string;
}

/** A task or a plan (`notice-subject.ts`) of whose end somebody wishes to be told. */
export interface Wished {
  readonly subject: string;
  /** Of the manifest that is pushed, or of the plan: who is refused because another one has the id is told nothing of that one. */
  readonly manifestSha256: string;
}

/** Who wishes to be told of the end of a subject, and of which manifest; '': of any, by a version before. */
export interface WantedBy {
  readonly endpoint: string;
  readonly manifestSha256: string;
}

/** One dead notice, or all of an endpoint. */
export type DeadNotices = { readonly id: string } | { readonly endpoint: string };

/** What an attempt made of a notice. Times are milliseconds since 1970. */
export type NoticeChange =
  | { readonly state: 'delivered' }
  | { readonly state: 'dead'; readonly problem: string; readonly attempts: number; readonly firstAt: number }
  | { readonly state: 'pending'; readonly problem: string; readonly attempts: number; readonly firstAt: number; readonly nextAt: number };

/** How far the events of the task index were looked at. */
export interface OutboxPlace {
  /** Id of the last event; `undefined` where none is known. */
  readonly event: number | undefined;
  /** Everything that ended before was seen, milliseconds since 1970. */
  readonly seenAt: number;
}

/** How far the events of the plan queue were looked at. */
export interface PlanPlace {
  /** As `PlanEnds` has it; `undefined` where none is known. */
  readonly queue: string | undefined;
  /** Everything that ended before was seen, milliseconds since 1970. */
  readonly seenAt: number;
}

/** Which notices: of an endpoint, in a state, about a task or a plan (its hash). */
export interface NoticeFilter {
  readonly endpoint?: string | undefined;
  readonly state?: NoticeState | undefined;
  readonly task?: string | undefined;
  readonly plan?: string | undefined;
}

export interface NoticeCounts {
  readonly endpoint: string;
  readonly state: NoticeState;
  readonly notices: number;
  /** Of their texts. */
  readonly bytes: number;
  /** When the oldest of the pending ones was made, milliseconds since 1970. */
  readonly oldestAt: number | undefined;
}

/** What was forgotten before its time, or dropped, because there was no room. */
export type Dropped = 'text' | 'notice';

/** The notices of a host about tasks and plans, on disk when a call resolves. Every call rejects with WritError STORAGE_UNAVAILABLE. */
export interface WebhookOutbox {
  /** Where the look goes on. */
  place(): Promise<OutboxPlace | undefined>;
  /** The place, made where there is none: everything that ended before `seenAt` counts as seen. */
  begin(seenAt: number): Promise<OutboxPlace>;
  /** The same for ends of plans. */
  planPlace(): Promise<PlanPlace | undefined>;
  beginPlans(seenAt: number): Promise<PlanPlace>;
  /**
   * Notes new notices and the place, if there is one, in one step; who wished for them is told. A notice whose id is there already changes
   * nothing else. Where there is no room dead notices
   * lose their texts, the oldest first, and then new ones are dead without a text; answers how many texts that were.
   */
  add(notices: readonly NewNotice[], place: OutboxPlace | PlanPlace | undefined, now: number): Promise<{ readonly added: number; readonly dropped: number }>;
  /**
   * The tasks are told to the endpoints when they end, until then. Of more wishes than are kept those go first whose task was told; where
   * there are none of these it rejects, too, and nothing is written.
   */
  want(wished: readonly Wished[], endpoints: readonly string[], until: number): Promise<void>;
  /** Who is to be told of these tasks, by task. */
  wantedBy(taskIds: readonly string[]): Promise<ReadonlyMap<string, readonly WantedBy[]>>;
  /**
   * Notices of an endpoint that are due, the longest due first; of a task only its first. One that is put off for longer than `longest`
   * milliseconds is due: some clock was wrong. `nextAt`: when another one becomes due.
   */
  due(
    endpoint: string,
    now: number,
    longest: number,
    limit: number,
  ): Promise<{ readonly notices: readonly PendingNotice[]; readonly nextAt: number | undefined }>;
  /** Notes what an attempt made of a pending notice. */
  settle(seq: number, change: NoticeChange, now: number): Promise<void>;
  /** Dead notices that have a text are due again, with all their attempts. Answers how many. */
  resend(which: DeadNotices, now: number): Promise<number>;
  /** Dead notices without a text, the oldest first; of an endpoint those that are not known to be lost. */
  bare(which: DeadNotices, limit: number): Promise<readonly BareNotice[]>;
  /** A dead notice has its text again and is due; answers false where there is no room for it. */
  restore(id: string, body: string, now: number): Promise<boolean>;
  /** The text of a dead notice cannot be made again. */
  lose(id: string, problem: string): Promise<void>;
  /** Newest first. */
  list(filter: NoticeFilter, before: number | undefined, limit: number): Promise<NoticeList>;
  read(id: string): Promise<NoticeView | undefined>;
  counts(): Promise<readonly NoticeCounts[]>;
  /**
   * Forgets what was delivered or died before `before`, what ended first of more notices than are kept, and wishes whose time is over; at
   * most about `limit` notices. `forgotten`: dead ones whose time was not over.
   */
  trim(before: number, now: number, limit: number): Promise<{ readonly trimmed: number; readonly forgotten: number }>;
}

/** What surfaces do with webhooks. */
export interface Webhooks {
  list(): Promise<WebhookList>;
  notices(filter: NoticeFilter, page: { readonly cursor?: string; readonly limit: number }): Promise<NoticeList>;
  /** Throws WritError NOT_FOUND. */
  read(id: string): Promise<NoticeView>;
  /**
   * Sends dead notices again; of an endpoint those without a text only so many at a time.
   *
   * @throws WritError NOT_FOUND, WRONG_STATE for one that is not dead, whose text cannot be made again, or for which there is no room
   */
  resend(which: DeadNotices): Promise<NoticeResend>;
  /** Sends a notice of the type `webhook.test` once, now. Throws WritError NOT_FOUND. */
  test(endpoint: string): Promise<WebhookTest>;
  /**
   * Has the ends of these tasks and plans (`notice-subject.ts`) told to the endpoints of the key that pushes them, and to the one that it
   * names.
   *
   * @throws WritError NOT_FOUND, FORBIDDEN for an endpoint that the key may not name, STORAGE_UNAVAILABLE
   */
  want(wished: readonly Wished[], key: string, named: string | undefined): Promise<void>;
  /**
   * Tells whoever wished for it of tasks and plans that were done before they were pushed.
   *
   * @throws WritError STORAGE_UNAVAILABLE, REDIS_UNAVAILABLE
   */
  ended(pushed: readonly PushedSubject[]): Promise<void>;
}

/** A task or a plan (`notice-subject.ts`) that somebody has pushed; `PLAN` is the capability of a plan. */
export interface PushedSubject {
  readonly taskId: string;
  readonly capabilityId: string;
}
