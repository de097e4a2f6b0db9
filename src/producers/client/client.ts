import { type EventsOptions, events } from './events.ts';
import { settingsOf, type WritClientOptions } from './options.ts';
import { type CallOptions, createTasks, type TasksApi } from './tasks.ts';
import { createTransport, type Transport } from './transport.ts';
import type { KeySet, LeaseAnswer, LeaseRequest, TaskEvent, TaskManifest } from './types.ts';

export interface IssueOptions extends CallOptions {
  /** Life of the lease, seconds; the kernel's default unless given. */
  readonly ttl?: number;
  /** Who confirmed a manifest with `hrc_required`. */
  readonly confirmedBy?: string;
}

export interface LeasesApi {
  /** Has the kernel sign a lease for a manifest; needs the role `kernel`. */
  issue(manifest: TaskManifest, options?: IssueOptions): Promise<LeaseAnswer>;
}

/**
 * Writ's HTTP API. It signs nothing and keeps nothing. Every method throws WritApiError (the server refused),
 * WritConnectionError (no whole answer) or the reason of its signal.
 */
export class WritClient {
  readonly tasks: TasksApi;
  readonly leases: LeasesApi;
  readonly #transport: Transport;

  /** @throws TypeError for options that cannot be meant */
  constructor(options: WritClientOptions) {
    const transport = createTransport(settingsOf(options));
    this.#transport = transport;
    this.tasks = createTasks(transport);
    this.leases = {
      async issue(manifest, { ttl, confirmedBy, signal } = {}) {
        const json: LeaseRequest = { manifest, ...(ttl === undefined ? {} : { ttl }), ...(confirmedBy === undefined ? {} : { confirmed_by: confirmedBy }) };
        return (await transport.json<LeaseAnswer>({ method: 'POST', path: '/v1/leases', json, signal, repeatable: false })).body;
      },
    };
  }

  /** The public keys that verify results. */
  async keys({ signal }: CallOptions = {}): Promise<KeySet> {
    return (await this.#transport.json<KeySet>({ method: 'GET', path: '/v1/keys', signal, repeatable: true })).body;
  }

  /** Changes of tasks as they happen, until the signal or the end of the loop. */
  events(options: EventsOptions = {}): AsyncGenerator<TaskEvent, void> {
    return events(options, this.#transport.settings);
  }
}
