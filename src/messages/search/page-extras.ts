import type { ReadRecipients } from '../../core/ports/message-recipients.ts';
import type { SearchViewer } from '../../core/ports/message-search.ts';
import { catchEngineErrors } from './failing-engine.ts';
import type { PageExtras, ServedPage } from './search-trace.ts';

const NO_EXTRAS: PageExtras = { recipients: undefined, denied: [], faults: [] };

/** Denied rows that an audit names; `denied_count` counts all of them. */
const MAX_AUDIT = 100;

/** Recipients and denied rows are worth less than the page: what fails here is said and left out. */
export async function pageExtras(served: ServedPage | null, viewer: SearchViewer, read: ReadRecipients): Promise<PageExtras> {
  if (served === null) return NO_EXTRAS;
  const recipients = await recipientsOf(served, read);
  const denied = await deniedRows(served, viewer);
  return {
    recipients: recipients?.ok === true ? recipients.value : undefined,
    denied: denied?.ok === true ? denied.value.rows : [],
    faults: [recipients, denied].flatMap((answer) => (answer === undefined || answer.ok ? [] : [answer.error.message])),
  };
}

async function recipientsOf({ request: { kind, scope, now_us }, page: { rows } }: ServedPage, read: ReadRecipients) {
  if (kind !== 'message' || rows.length === 0) return undefined;
  return catchEngineErrors(async () => ({ ok: true, value: read({ ids: rows.map(({ id }) => id), scope, now_us }) }));
}

/** Only who may see everything is told what a scope that they asked for hides, and nobody is told it again on every page. */
async function deniedRows({ engine, request, page: { denied, cursorUsed } }: ServedPage, viewer: SearchViewer) {
  const { kind, scope } = request;
  if (viewer !== null || kind !== 'message' || scope.viewers.length === 0 || scope.keep_denied || cursorUsed || denied === 0) return undefined;
  const set = { ...request, scope: { ...scope, only_denied: true as const }, min_score: null };
  return catchEngineErrors(async () => engine.find({ ...set, offset: 0, limit: MAX_AUDIT, count: false, after: null, list: 0 }));
}
