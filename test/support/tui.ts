import type { SearchQuery, SearchResponse, SearchResult } from '../../src/contracts/index.ts';
import { EMPTY_SHELF, type Shelf } from '../../src/core/ports/screen-shelf.ts';
import type { MessageScreenServices } from '../../src/surfaces/tui/port.ts';
import { createSession, type Session } from '../../src/surfaces/tui/session.ts';
import { screenOf } from '../../src/surfaces/tui/view/screen.ts';
import { type CorpusMessage, corpusMessages } from '../quality/messages/corpus.ts';

/** A session over the corpus, with a search that looks for words and nothing else; the real one has tests of its own. */
export interface TuiRig {
  readonly session: Session;
  readonly asked: SearchQuery[];
  /** What the search throws, or adds to its answers. */
  readonly play: { failure: Error | undefined; answer: Partial<SearchResponse>; shelf: Shelf; shelfFailure: Error | undefined };
  /** Types and presses: `'type:lock'` types, everything else is the name of a key. */
  keys(...names: readonly string[]): Promise<void>;
  /** Until nothing is under way. */
  settle(): Promise<void>;
  /** The screen as text. */
  lines(): string[];
}

export const PROJECTS = [...new Set(corpusMessages().map(({ project }) => project))];

export async function tuiRig(size: { columns: number; rows: number } = { columns: 80, rows: 24 }, text = ''): Promise<TuiRig> {
  let now = 0;
  const asked: SearchQuery[] = [];
  const play: TuiRig['play'] = { failure: undefined, answer: {}, shelf: EMPTY_SHELF, shelfFailure: undefined };
  let due: (() => void) | undefined;
  const services: MessageScreenServices = {
    async search(query) {
      asked.push(query);
      if (play.failure) throw play.failure;
      return { ...answerOf(query), ...play.answer };
    },
    places: async () => PROJECTS.map((name, at) => ({ kind: 'project', id: at + 1, name })),
    shelf: {
      read: async () => play.shelf,
      async change(change) {
        if (play.shelfFailure) throw play.shelfFailure;
        const next = change(play.shelf);
        play.shelf = next ?? play.shelf;
        return next;
      },
    },
  };
  const session = createSession({
    services,
    ...size,
    text,
    now: () => (now += 1000),
    soon: (run) => {
      due = run;
    },
  });
  const settle = async (): Promise<void> => {
    const run = due;
    due = undefined;
    run?.();
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    if (session.state().searching) await new Promise((resolve) => setImmediate(resolve));
  };
  await settle();
  return {
    session,
    asked,
    play,
    settle,
    async keys(...names) {
      for (const name of names) {
        if (name.startsWith('type:')) for (const typed of name.slice(5)) session.press({ key: typed, typed });
        else session.press({ key: name, typed: '' });
        await settle();
      }
    },
    lines: () => screenOf(session.state()).map((line) => line.map((part) => part.text).join('')),
  };
}

function answerOf(query: SearchQuery): SearchResponse {
  const found = query.doc_kind === 'message' ? corpusMessages().filter((message) => matches(message, query)) : [];
  const sorted = query.ranking === 'recency' ? found.toSorted((a, b) => b.created_at.localeCompare(a.created_at)) : found;
  const from = query.cursor == null ? 0 : Number(query.cursor);
  const to = from + (query.limit ?? 50);
  const mode = query.mode ?? 'lexical';
  return {
    results: sorted.slice(from, to).map(resultOf),
    ...(to < sorted.length && { next_cursor: String(to) }),
    explain: {
      method: 'fts5',
      engine: 'fts5',
      normalized_query: query.text,
      used_like_fallback: false,
      facet_count: 0,
      facets_applied: [],
      sql: 'SELECT 1',
      scope_policy: 'unrestricted',
      denied_count: 0,
      redacted_count: 0,
      requested_mode: mode,
      actual_mode: 'lexical',
      mode_downgraded: mode !== 'lexical',
      ...(mode !== 'lexical' && { downgrade_reason: 'no vectors here' }),
      timing: { total_us: 800 },
      cursor_invalidated: false,
      matched_count: sorted.length,
    },
  };
}

function matches(message: CorpusMessage, query: SearchQuery): boolean {
  const text = `${message.subject} ${message.body_md}`.toLowerCase();
  return (
    query.text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word)) &&
    (query.importance == null || query.importance.includes(message.importance)) &&
    (query.ack_required == null || query.ack_required === message.ack_required) &&
    (query.thread_id == null || query.thread_id === message.thread_id) &&
    (query.project_id == null || PROJECTS[query.project_id - 1] === message.project)
  );
}

function resultOf(message: CorpusMessage): SearchResult {
  return {
    doc_kind: 'message',
    id: message.id,
    project_id: PROJECTS.indexOf(message.project) + 1,
    title: message.subject,
    body: message.body_md,
    score: 1,
    importance: message.importance,
    ack_required: message.ack_required,
    created_ts: Date.parse(message.created_at) * 1000,
    ...(message.thread_id !== null && { thread_id: message.thread_id }),
    from_agent: message.from,
    redacted: false,
  };
}
