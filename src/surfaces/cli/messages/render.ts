import type { QueryExplain, SearchResponse, SearchResult } from '../../../contracts/index.ts';
import { momentText } from '../../../core/message-time.ts';
import { counted } from '../../../core/units.ts';
import { excerpt } from '../text/excerpt.ts';
import { type Column, pairs, table } from '../text/table.ts';

const MESSAGES: readonly Column[] = [
  { title: 'ID', align: 'right' },
  { title: 'SENT' },
  { title: 'FROM' },
  { title: 'IMPORTANCE' },
  { title: 'THREAD' },
  { title: 'SCORE', align: 'right' },
  { title: 'SUBJECT' },
];
const OTHERS: readonly Column[] = [{ title: 'ID', align: 'right' }, { title: 'NAME' }, { title: 'SCORE', align: 'right' }, { title: 'ABOUT' }];

/** The results as a table; nothing found is a sentence. */
export function resultsText({ results }: SearchResponse): string {
  if (results.length === 0) return 'nothing found';
  return results.some(({ doc_kind }) => doc_kind === 'message') ? table(MESSAGES, results.map(messageCells)) : table(OTHERS, results.map(otherCells));
}

/** Where the results have what was looked for, a line for each, marked as Markdown marks what is important; empty: nobody asked. */
export function snippetsText({ results }: SearchResponse): string {
  const shown = results.flatMap(({ id, snippet }) => (snippet === undefined || snippet.text === '' ? [] : [[String(id), markedText(snippet)] as const]));
  return shown.length === 0 ? '' : pairs(shown);
}

function markedText({ text, highlights }: NonNullable<SearchResult['snippet']>): string {
  let [shown, done] = ['', 0];
  for (const { start, end } of highlights) {
    shown += `${text.slice(done, start)}**${text.slice(start, end)}**`;
    done = end;
  }
  return `${shown}${text.slice(done)}`.replaceAll(/\s+/gu, ' ').trim();
}

/** What matches, by project, importance and sender; empty: nobody asked. */
export function facetsText({ facets }: SearchResponse): string {
  if (facets === undefined) return '';
  const line = (counts: readonly { readonly value: string | number; readonly count: number }[]): string =>
    counts.length === 0 ? 'none' : counts.map(({ value, count }) => `${value} (${count})`).join(', ');
  return pairs([
    ['projects', line(facets.project_id)],
    ['importance', line(facets.importance)],
    ['senders', line(facets.from_agent)],
  ]);
}

/** What a person should know beside the results. */
export function* besideText({ guidance, assistance, retry, diagnostics, next_cursor }: SearchResponse): Generator<string> {
  if (retry !== undefined) yield retryText(retry);
  for (const { token, suggested_field, value } of assistance?.did_you_mean ?? []) yield `did you mean ${suggested_field}:${value} by ${token}?`;
  const hints = assistance?.applied_filter_hints ?? [];
  if (hints.length > 0) yield `${hints.map(({ field, value }) => `${field}:${value}`).join(' ')} was not used as a filter: use the options`;
  for (const { label, detail } of guidance?.suggestions ?? []) yield detail === undefined ? label : `${label} (${detail})`;
  if (diagnostics?.degraded === true)
    yield ['the search was degraded', diagnostics.fallback_mode, diagnostics.search_index_reason, ...(diagnostics.remediation_hints ?? [])]
      .filter(Boolean)
      .join(': ');
  if (next_cursor !== undefined) yield `there is more: --cursor ${next_cursor}`;
}

/** That nothing matches what was typed, and what was looked for instead. */
export function retryText({ text, replaced = [] }: NonNullable<SearchResponse['retry']>): string {
  const meant = replaced.map(({ word, by }) => `${word}: ${by.join(', ')}`);
  return `nothing matches these words; looked for instead: ${text}${meant.length > 0 ? ` (${meant.join('; ')})` : ''}`;
}

/** How it was searched, a line for each fact. */
export function explainText(explain: QueryExplain): string {
  const { method, engine, normalized_query, facets_applied, scope_policy, timing, notes } = explain;
  const mode = explain.mode_downgraded
    ? `${explain.actual_mode} instead of ${explain.requested_mode}: ${explain.downgrade_reason}`
    : (explain.actual_mode ?? explain.requested_mode);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['method', method],
    ['engine', engine],
    ['mode', mode],
    ['asked', normalized_query ?? undefined],
    ['words', explain.used_like_fallback ? 'looked for in the tables, because the full text could not be asked' : undefined],
    ['filters', facets_applied.length === 0 ? 'none' : facets_applied.join(', ')],
    ['scope', scope_policy],
    ['matched', explain.matched_count === undefined ? undefined : counted(explain.matched_count, 'row')],
    ['withheld', explain.denied_count + explain.redacted_count === 0 ? undefined : `${explain.denied_count} denied, ${explain.redacted_count} redacted`],
    ['cursor', explain.cursor_invalidated ? 'was not used: the page is the first one' : undefined],
    ['order', explain.order_changed === true ? 'has changed since the page before' : undefined],
    ['time', timing === undefined ? undefined : timesText(timing)],
    ...(notes ?? []).map((note) => ['note', note] as const),
    ['sql', sqlText(explain.sql)],
  ];
  return pairs(facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const])));
}

/** The beginning of a statement: it is long, and machines read it from --json. */
function sqlText(sql: string): string {
  const line = sql.replaceAll(/\s+/g, ' ').trim();
  return line.length <= SQL_SHOWN ? line : `${line.slice(0, SQL_SHOWN)}… (all of it with --json)`;
}

const SQL_SHOWN = 120;

function timesText({ total_us, ...parts }: NonNullable<QueryExplain['timing']>): string {
  const spent = Object.entries(parts).flatMap(([name, us]) => (us === undefined ? [] : [`${name.replace('_us', '')} ${ms(us)}`]));
  return `${ms(total_us)}${spent.length === 0 ? '' : ` (${spent.join(', ')})`}`;
}

function ms(us: number): string {
  return `${(us / 1000).toFixed(us < 10_000 ? 2 : 0)} ms`;
}

function messageCells({ id, created_ts, from_agent, importance, thread_id, score, title }: SearchResult): readonly string[] {
  const sent = created_ts === undefined ? null : momentText(created_ts);
  return [
    String(id),
    sent === null ? '' : `${sent.slice(0, 19).replace('T', ' ')}`,
    from_agent ?? '',
    importance ?? '',
    threadText(thread_id ?? ''),
    scoreText(score),
    title,
  ];
}

/** Threads of mail may be named by a digest of 71 characters; the table has its beginning, `--json` all of it. */
function threadText(id: string): string {
  const points = Array.from(id);
  return points.length <= THREAD_SHOWN ? id : `${points.slice(0, THREAD_SHOWN - 1).join('')}…`;
}

const THREAD_SHOWN = 20;

function otherCells({ id, title, body, score }: SearchResult): readonly string[] {
  return [String(id), title, scoreText(score), excerpt(body, '')];
}

function scoreText(score: number | undefined): string {
  return score === undefined ? '' : score.toFixed(3);
}
