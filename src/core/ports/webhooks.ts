import type { NoticeList, NoticeState, NoticeView, WebhookList, WebhookTest } from '../../contracts/index.ts';

/** A notice that has not been delivered yet. */
export interface PendingNotice {
  /** Counts up; of one task at one endpoint the smaller is sent first. */
  readonly seq: number;
  readonly id: string;
  readonly taskId: string;
  readonly body: string;
  readonly attempts: number;
  readonly firstAt: number | undefined;
}

export interface NewNotice {
  readonly id: string;
  readonly endpoint: string;
  readonly taskId: string;
  readonly body: string;
}

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

export interface NoticeCounts {
  readonly endpoint: string;
  readonly state: NoticeState;
  readonly notices: number;
  /** When the oldest of them was made, milliseconds since 1970. */
  readonly oldestAt: number;
}

/** The notices of a host, on disk when a call resolves. Every call rejects with WritError STORAGE_UNAVAILABLE. */
export interface WebhookOutbox {
  /** Where the look goes on; made with `now` where there is none. */
  place(now: number): Promise<OutboxPlace>;
  /** Notes new notices and the place in one step; answers how many were new. A notice whose id is there already changes nothing. */
  add(notices: readonly NewNotice[], place: OutboxPlace, now: number): Promise<number>;
  /** The tasks are told to the endpoints when they end, until then. */
  want(taskIds: readonly string[], endpoints: readonly string[], until: number): Promise<void>;
  /** Endpoints that are to be told of these tasks, by task. */
  wantedBy(taskIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
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
  /** Dead notices are due again, with all their attempts: one by its id, or all of an endpoint. Answers how many. */
  resend(which: { readonly id: string } | { readonly endpoint: string }, now: number): Promise<number>;
  /** Newest first. */
  list(
    filter: { readonly endpoint?: string; readonly state?: NoticeState; readonly task?: string },
    before: number | undefined,
    limit: number,
  ): Promise<NoticeList>;
  read(id: string): Promise<NoticeView | undefined>;
  counts(): Promise<readonly NoticeCounts[]>;
  /** Forgets what was delivered or died before `before`, and wishes whose time is over; at most `limit` notices. */
  trim(before: number, now: number, limit: number): Promise<number>;
}

/** What surfaces do with webhooks. */
export interface Webhooks {
  list(): Promise<WebhookList>;
  notices(
    filter: { readonly endpoint?: string; readonly state?: NoticeState; readonly task?: string },
    page: { readonly cursor?: string; readonly limit: number },
  ): Promise<NoticeList>;
  /** Throws WritError NOT_FOUND. */
  read(id: string): Promise<NoticeView>;
  /** Sends dead notices again: one by its id, or all of an endpoint. Throws WritError NOT_FOUND, WRONG_STATE for one that is not dead. */
  resend(which: { readonly id: string } | { readonly endpoint: string }): Promise<number>;
  /** Sends a notice of the type `webhook.test` once, now. Throws WritError NOT_FOUND. */
  test(endpoint: string): Promise<WebhookTest>;
  /**
   * Has the end of these tasks told to the endpoints of the key that pushes them, and to the one that it names.
   *
   * @throws WritError NOT_FOUND, FORBIDDEN for an endpoint that the key may not name, STORAGE_UNAVAILABLE
   */
  want(taskIds: readonly string[], key: string, named: string | undefined): Promise<void>;
}
