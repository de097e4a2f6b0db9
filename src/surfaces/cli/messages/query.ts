import type { DocKind, SearchMode, SearchQuery } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { MessageSearch } from '../../../core/ports/index.ts';
import { importancesOf, momentOf, nameOf, rankingOf, timeRangeOf, wordOf } from '../../shared/messages/query-values.ts';
import { inProduct, inProject, type SearchTarget } from '../../shared/messages/search-target.ts';
import { parseWhole } from '../text/values.ts';

export interface MessagesSearchFlags {
  readonly project?: string;
  readonly product?: string;
  readonly kind?: DocKind;
  readonly from?: string;
  readonly to?: string;
  readonly agent?: string;
  readonly thread?: string;
  readonly importance?: string;
  /** False for `--no-ack`. */
  readonly ack?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly sort?: string;
  readonly mode?: SearchMode;
  readonly minScore?: string;
  readonly as?: string;
  readonly limit: string;
  readonly offset?: string;
  readonly cursor?: string;
  readonly explain?: boolean;
}

const MAX_OFFSET = 1_000_000;

/** The query that a command line means, but for its place. Throws WritError INVALID_ARGUMENT naming the option. */
export function queryOf(words: readonly string[], flags: MessagesSearchFlags): SearchQuery {
  const filters = filtersOf(flags);
  const { kind, mode, cursor, offset, explain } = flags;
  const ranking = rankingOf(wordOf('--sort', flags.sort));
  const as = nameOf(wordOf('--as', flags.as));
  return {
    text: words.join(' '),
    ...filters,
    limit: parseWhole(flags.limit, '--limit', { min: 1, max: 1000 }),
    ...(kind === undefined ? {} : { doc_kind: kind }),
    ...(mode === undefined ? {} : { mode }),
    ...(ranking === undefined ? {} : { ranking }),
    ...(as === undefined ? {} : { scope: { caller_scoped: { caller_agent: as } } }),
    ...(flags.minScore === undefined ? {} : { min_score: scoreOf(flags.minScore) }),
    ...(offset === undefined ? {} : { offset: parseWhole(offset, '--offset', { min: 0, max: MAX_OFFSET }) }),
    ...(cursor === undefined ? {} : { cursor: cursor.slice(0, 1024) }),
    ...(explain === true ? { explain } : {}),
  };
}

function filtersOf({ from, to, agent, thread, importance, ack, since, until }: MessagesSearchFlags): Partial<SearchQuery> {
  const [start, end] = [wordOf('--since', since), wordOf('--until', until)];
  const range = timeRangeOf(start && { ...start, us: momentOf(start, 'start') }, end && { us: momentOf(end, 'end') });
  const levels = importancesOf(wordOf('--importance', importance));
  const names = {
    sender_name: nameOf(wordOf('--from', from)),
    recipient_name: nameOf(wordOf('--to', to)),
    agent_name: nameOf(wordOf('--agent', agent)),
    thread_id: nameOf(wordOf('--thread', thread)),
  };
  return {
    ...Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined)),
    ...(levels.length === 0 ? {} : { importance: [...levels] }),
    ...(ack === undefined ? {} : { ack_required: ack }),
    ...(range === undefined ? {} : { time_range: range }),
  };
}

/** The project or product that a command line names; everything unless it names one. Throws WritError NOT_FOUND for one that is not there. */
export async function searchTargetOf({ project, product }: MessagesSearchFlags, search: MessageSearch): Promise<SearchTarget> {
  if (project !== undefined) return inProject(project, '--project', search);
  if (product !== undefined) return inProduct(product, '--product', search);
  return { ok: true, value: {} };
}

function scoreOf(word: string): number {
  const score = /^\d?\.?\d+$/.test(word) ? Number(word) : Number.NaN;
  if (!(score >= 0 && score <= 1)) throw new WritError('INVALID_ARGUMENT', '--min-score must be a number from 0 to 1', { field: '--min-score' });
  return score;
}
