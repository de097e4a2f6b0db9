import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { WebhookOutbox } from '../../../core/ports/index.ts';
import { createInProcessStore } from '../in-process-store.ts';
import type { OutboxLimits } from './webhook-outbox-room.ts';
import { outboxStatements } from './webhook-outbox-statements.ts';

/** The outbox of webhooks in `<directory>/outbox.db`. Throws WritError STORAGE_UNAVAILABLE from `start` when it cannot be opened, and from requests that were not kept. */
export function createWebhookOutbox({ directory, limits }: { readonly directory: string; readonly limits: OutboxLimits }): WebhookOutbox & Lifecycle {
  const migrations = new URL('../sql/webhook-outbox/', import.meta.url);
  const { ask, look, ...lifecycle } = createInProcessStore({
    directory,
    file: 'outbox.db',
    migrations,
    statements: (db) => outboxStatements(db, limits),
    name: 'the outbox of webhooks',
  });
  return {
    ...lifecycle,
    place: () => look((outbox) => outbox.place()),
    begin: (seenAt) => ask((outbox) => outbox.begin(seenAt)),
    planPlace: () => look((outbox) => outbox.planPlace()),
    beginPlans: (seenAt) => ask((outbox) => outbox.beginPlans(seenAt)),
    add: (notices, place, now) => ask((outbox) => outbox.add(notices, place, now)),
    want: (taskIds, endpoints, until) => ask((outbox) => outbox.want(taskIds, endpoints, until)),
    wantedBy: (taskIds) => look((outbox) => outbox.wantedBy(taskIds)),
    due: (endpoint, now, longest, limit) => look((outbox) => outbox.due(endpoint, now, longest, limit)),
    settle: (seq, change, now) => ask((outbox) => outbox.settle(seq, change, now)),
    resend: (which, now) => ask((outbox) => outbox.resend(which, now)),
    bare: (which, limit) => look((outbox) => outbox.bare(which, limit)),
    restore: (id, body, now) => ask((outbox) => outbox.restore(id, body, now)),
    lose: (id, problem) => ask((outbox) => outbox.lose(id, problem)),
    list: (filter, before, limit) => look((outbox) => outbox.list(filter, before, limit)),
    read: (id) => look((outbox) => outbox.read(id)),
    counts: () => look((outbox) => outbox.counts()),
    trim: (before, now, limit) => ask((outbox) => outbox.trim(before, now, limit)),
  };
}
