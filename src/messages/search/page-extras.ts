import type { EngineAsk, EngineRow, MessageEngine } from '../../core/ports/message-engine.ts';
import type { MessageRecipients, ReadRecipients } from '../../core/ports/message-recipients.ts';
import type { SearchViewer } from '../../core/ports/message-search.ts';
import { guarded } from './guarded.ts';
import type { Page } from './pages.ts';

/** What an answer says beside the rows of its page. */
export interface BesidePage {
  /** `undefined` for other kinds, and when they could not be read. */
  readonly recipients: ReadonlyMap<number, MessageRecipients> | undefined;
  /** Rows that match and were left out, for an operator's audit; only beside a first page. */
  readonly denied: readonly EngineRow[];
  /** What could not be found out. */
  readonly faults: readonly string[];
}

export const NOTHING_BESIDE: BesidePage = { recipients: undefined, denied: [], faults: [] };

/** Denied rows that an audit names; `denied_count` counts all of them. */
const MAX_AUDIT = 100;

type Ask = Omit<EngineAsk, 'after' | 'list'>;

interface Sources {
  readonly engine: MessageEngine;
  readonly recipients: ReadRecipients;
  readonly viewer: SearchViewer;
}

/** Both are worth less than the page: what fails here is said and left out. */
export async function besidePage(page: Page, ask: Ask, { engine, recipients, viewer }: Sources): Promise<BesidePage> {
  const got = await recipientsOf(page, ask, recipients);
  const denied = await deniedRows(page, ask, engine, viewer);
  return {
    recipients: got?.ok === true ? got.value : undefined,
    denied: denied?.ok === true ? denied.value.rows : [],
    faults: [got, denied].flatMap((answer) => (answer === undefined || answer.ok ? [] : [answer.error.message])),
  };
}

async function recipientsOf({ rows }: Page, { kind, scope, now_us }: Ask, read: ReadRecipients) {
  if (kind !== 'message' || rows.length === 0) return undefined;
  return guarded(async () => ({ ok: true, value: read({ ids: rows.map(({ id }) => id), scope, now_us }) }));
}

/** Only who may see everything is told what a scope that they asked for hides, and nobody is told it again on every page. */
async function deniedRows({ denied, cursorUsed }: Page, ask: Ask, engine: MessageEngine, viewer: SearchViewer) {
  const { kind, scope } = ask;
  if (viewer !== null || kind !== 'message' || scope.viewers.length === 0 || scope.keep_denied || cursorUsed || denied === 0) return undefined;
  const set = { ...ask, scope: { ...scope, only_denied: true as const }, min_score: null };
  return guarded(async () => engine.find({ ...set, offset: 0, limit: MAX_AUDIT, count: false, after: null, list: 0 }));
}
