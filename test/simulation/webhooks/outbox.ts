import { migrate } from '../../../src/adapters/sqlite/migrate.ts';
import { openDatabase } from '../../../src/adapters/sqlite/open.ts';
import type { OutboxLimits } from '../../../src/adapters/sqlite/webhook-outbox/webhook-outbox-room.ts';
import { type OutboxStatements, outboxStatements } from '../../../src/adapters/sqlite/webhook-outbox/webhook-outbox-statements.ts';
import { WritError } from '../../../src/core/errors.ts';
import type { WebhookOutbox } from '../../../src/core/ports/index.ts';
import type { SimWebhooks } from '../scenario.ts';
import type { SimProcess } from '../scheduler.ts';
import { emptied } from '../twins/stores.ts';
import type { World } from '../world.ts';

/** What an outbox keeps; the narrow one has room for two or three texts, the one of few rows for two notices. */
export const ROOMS: Readonly<Record<SimWebhooks['room'], OutboxLimits>> = {
  wide: { endpointBytes: 1_048_576, maxNotices: 1_000 },
  narrow: { endpointBytes: 1_300, maxNotices: 1_000 },
  few: { endpointBytes: 1_048_576, maxNotices: 2 },
};

/** The file as whoever looks at it finds it. */
export interface OutboxFile {
  readonly statements: OutboxStatements;
  readonly run: <T>(request: () => T) => T;
  /** Rows that trims have removed, whoever lived to hear it. */
  readonly trimmed: { rows: number };
}

const engines = new Map<SimWebhooks['room'], OutboxFile & { readonly empty: () => void }>();

/** The product's SQL on SQLite in memory, opened once per process and room, and emptied for each history. */
export function emptyOutbox(room: SimWebhooks['room']): OutboxFile {
  const engine = engines.get(room) ?? open(room);
  engines.set(room, engine);
  engine.empty();
  engine.trimmed.rows = 0;
  return engine;
}

function open(room: SimWebhooks['room']): OutboxFile & { readonly empty: () => void } {
  const db = openDatabase(':memory:');
  migrate(db, new URL('../../../src/adapters/sqlite/sql/webhook-outbox/', import.meta.url));
  const empty = emptied(db, ['wishes']);
  return { statements: outboxStatements(db, ROOMS[room]), run: (request) => db.transaction(request).immediate(), trimmed: { rows: 0 }, empty };
}

const WRITES: ReadonlySet<string> = new Set(['begin', 'beginPlans', 'add', 'want', 'settle', 'resend', 'restore', 'lose', 'trim']);

/** The outbox of one process: a request is a transaction, durable when it is answered. */
export function outboxFor({ statements, run, trimmed }: OutboxFile, world: World, process: SimProcess): WebhookOutbox {
  const request = (method: string, args: readonly unknown[]): unknown => {
    if (WRITES.has(method) && world.isDiskFull) throw new WritError('STORAGE_UNAVAILABLE', 'the outbox of webhooks could not be written');
    const statement: unknown = Reflect.get(statements, method);
    if (typeof statement !== 'function') throw new Error(`there is no ${method}`);
    const answer = run(() => Reflect.apply(statement, statements, args) as unknown);
    if (method === 'trim') trimmed.rows += (answer as ReturnType<OutboxStatements['trim']>).trimmed;
    return answer;
  };
  const methods = Object.keys(statements).map((method) => [
    method,
    (...args: unknown[]) =>
      world.call(process, {
        to: 'journal',
        what: `outbox.${method} ${world.trace.isOn ? JSON.stringify(args).slice(0, 80) : ''}`,
        effect: () => request(method, args),
      }),
  ]);
  return Object.fromEntries(methods) as WebhookOutbox;
}
