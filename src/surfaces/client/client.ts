import { type ContentIndexApi, createContentIndex } from './content-index.ts';
import type { ContentSearchAnswer, ContentSearchRequest } from './content-types.ts';
import { type Change, changes, type EventsOptions, events } from './events.ts';
import { createMessages, type MessagesApi } from './messages.ts';
import { settingsOf, type WritClientOptions } from './options.ts';
import { createPlans, type PlansApi } from './plans.ts';
import { createQueues, type QueuesApi } from './queues.ts';
import { createSchedules, type SchedulesApi } from './schedules.ts';
import { createSearch, type SearchApi } from './search-tasks.ts';
import { createSessions, type SessionsApi } from './sessions.ts';
import { type CallOptions, createTasks, type TasksApi } from './tasks.ts';
import { createTransport, type Transport } from './transport.ts';
import type { Envelope, KeySet, LeaseAnswer, LeaseRequest, PlanLeaseAnswer, PlanLeaseRequest, TaskEvent, TaskManifest } from './types.ts';
import { createWebhooksApi, type WebhooksApi } from './webhooks.ts';

export interface IssueOptions extends CallOptions {
  /** Life of the lease, seconds; the kernel's default unless given. */
  readonly ttl?: number;
  /** From when it counts; at once unless given. */
  readonly notBefore?: Date;
  /** The person who confirmed a manifest with `hrc_required`. */
  readonly confirmedBy?: string;
}

export interface IssuePlanOptions extends CallOptions {
  /** Life of the lease, seconds; the kernel's default unless given. */
  readonly ttl?: number;
  /** From when it counts; at once unless given. */
  readonly notBefore?: Date;
  /** Capabilities of the plan, `TOOL_CALL` or `TOOL_CALL:<tool>` among them; exactly those that it can reach unless given. */
  readonly capabilities?: readonly string[];
  /** Directories and scopes that its steps may name. */
  readonly scopes?: readonly string[];
}

export interface LeasesApi {
  /** Has the kernel sign a lease for a manifest; needs the role `kernel`. */
  issue(manifest: TaskManifest, options?: IssueOptions): Promise<LeaseAnswer>;
  /** Has the kernel sign a lease for a plan; answers the linked envelope too. Needs the role `kernel`. */
  issuePlan(envelope: Envelope, options?: IssuePlanOptions): Promise<PlanLeaseAnswer>;
}

/** The time limit of a search that names none, by the default settings of a server. */
const CONTENT_TIMEOUT_MS = 20_000;

/**
 * Writ's HTTP API. The client signs nothing and keeps nothing. Every method throws WritApiError (the server refused),
 * WritConnectionError (no whole answer) or the reason of its signal.
 */
export class WritClient {
  readonly tasks: TasksApi;
  readonly plans: PlansApi;
  readonly queues: QueuesApi;
  /** Tasks at the times of a cron expression. */
  readonly schedules: SchedulesApi;
  /** Browsers that are logged in; needs the role `operate`. */
  readonly sessions: SessionsApi;
  /** Searches by task, each with its own type of answer. */
  readonly search: SearchApi;
  readonly leases: LeasesApi;
  /** Agent mail, and the search in it. */
  readonly messages: MessagesApi;
  /** The index of `contentSearch`. */
  readonly contentIndex: ContentIndexApi;
  /** Who is told of the ends of tasks; needs the role `operate`. */
  readonly webhooks: WebhooksApi;
  readonly #transport: Transport;

  /** @throws TypeError for options out of their range */
  constructor(options: WritClientOptions) {
    const transport = createTransport(settingsOf(options));
    this.#transport = transport;
    this.tasks = createTasks(transport);
    this.plans = createPlans(transport);
    this.queues = createQueues(transport);
    this.schedules = createSchedules(transport);
    this.sessions = createSessions(transport);
    this.webhooks = createWebhooksApi(transport);
    this.search = createSearch(this.tasks);
    this.contentIndex = createContentIndex(transport);
    this.messages = createMessages(transport);
    this.leases = {
      async issue(manifest, { ttl, notBefore, confirmedBy, signal } = {}) {
        const from = notBefore === undefined ? {} : { not_before: notBefore.toISOString() };
        const json: LeaseRequest = {
          manifest,
          ...(ttl === undefined ? {} : { ttl }),
          ...from,
          ...(confirmedBy === undefined ? {} : { confirmed_by: confirmedBy }),
        };
        return (await transport.json<LeaseAnswer>({ method: 'POST', path: '/v1/leases', json, signal, repeatable: false })).body;
      },
      async issuePlan(envelope, { ttl, notBefore, capabilities, scopes, signal } = {}) {
        const json: PlanLeaseRequest = {
          envelope,
          ...(ttl === undefined ? {} : { ttl }),
          ...(notBefore === undefined ? {} : { not_before: notBefore.toISOString() }),
          ...(capabilities === undefined ? {} : { capabilities: [...capabilities] }),
          ...(scopes === undefined ? {} : { scopes: [...scopes] }),
        };
        return (await transport.json<PlanLeaseAnswer>({ method: 'POST', path: '/v1/leases', json, signal, repeatable: false })).body;
      },
    };
  }

  /** The public keys that verify results. */
  async keys({ signal }: CallOptions = {}): Promise<KeySet> {
    return (await this.#transport.json<KeySet>({ method: 'GET', path: '/v1/keys', signal, repeatable: true })).body;
  }

  /**
   * Searches the contents of files (docs/content-search.md); needs the role `search`. No task and no lease: the server
   * reads for you, now. Giving up (the signal) ends the search. Throws WritApiError: `BadArgs` with the field of the
   * request, `ExecutionFailed`, `SEARCH_NOT_ALLOWED`, `RATE_LIMITED`.
   */
  async contentSearch(request: ContentSearchRequest, { signal }: CallOptions = {}): Promise<ContentSearchAnswer> {
    const wait = (request.timeout_ms ?? CONTENT_TIMEOUT_MS) / 1000;
    return (await this.#transport.json<ContentSearchAnswer>({ method: 'POST', path: '/v1/search', json: request, patienceS: wait, signal, repeatable: true }))
      .body;
  }

  /** Changes of tasks as they happen, until the signal or the end of the loop. */
  events(options: EventsOptions = {}): AsyncGenerator<TaskEvent, void> {
    return events(options, this.#transport.settings);
  }

  /** The same stream with the changes of plans between those of tasks. They have no number: what happens while a stream is broken is missed. */
  changes(options: EventsOptions = {}): AsyncGenerator<Change, void> {
    return changes(options, this.#transport.settings);
  }
}
