import type { EngineAnswer, EngineRequest, EngineStage, MessageEngine } from '../../../core/ports/message-engine.ts';
import type { StageTimes } from '../../../core/stage-times.ts';
import { anyOf } from '../any-of.ts';
import { exactExpression } from '../exact-expression.ts';

/** Reciprocal rank fusion (message-search.md 3.2): what two orders agree on comes first, whatever their scores are. */

/** Rows that each side brings, whatever page is asked for; together twice as many. */
export const FUSION_POOL = 1000;

export interface Fused {
  readonly id: number;
  /** 1 for the first of both orders, at most a half for what only one of them has. */
  readonly score: number;
}

/**
 * The sum of 1 / (k + rank) over the orders, ranks from 1, divided by the most that it can be: a constant, so a score says
 * the same on every page and for every set. The best first, the least id first among equals.
 */
export function fuse(orders: readonly [readonly number[], readonly number[]], k: number): readonly Fused[] {
  const sums = new Map<number, number>();
  for (const order of orders) for (const [index, id] of order.entries()) sums.set(id, (sums.get(id) ?? 0) + 1 / (k + index + 1));
  return [...sums].map(([id, sum]) => ({ id, score: (sum * (k + 1)) / orders.length })).sort((a, b) => b.score - a.score || a.id - b.id);
}

export interface HybridSides {
  /** Engines of words, best first: the first that answers is taken. */
  readonly lexical: readonly MessageEngine[];
  readonly semantic: MessageEngine;
}

/** Rows of a set, each with its score, the best first. */
export interface FusedSet {
  readonly visible: readonly Fused[];
  /** What belongs to it and may not be seen: ranked apart, so that it moves nothing that is seen. */
  readonly denied: readonly Fused[];
  /** How many of the visible ones words found. */
  readonly byWords: number;
}

/** Both sides' best rows of a set, fused. Fails when a side has no answer; a text that is no expression of words has none of their rows. */
export async function fusedSet(sides: HybridSides, request: EngineRequest, times: StageTimes<EngineStage>): Promise<EngineAnswer<FusedSet>> {
  const visible = await fusedRows(sides, request, times);
  if (!visible.ok) return visible;
  const { rows, byWords } = visible.value;
  const { viewers, keep_denied, only_denied, hide_denied } = request.scope;
  if (viewers.length === 0 || keep_denied || only_denied || hide_denied) return { ok: true, value: { visible: rows, denied: [], byWords } };
  const denied = await fusedRows(sides, { ...request, scope: { ...request.scope, only_denied: true } }, times);
  return denied.ok ? { ok: true, value: { visible: rows, denied: denied.value.rows, byWords } } : denied;
}

async function fusedRows(
  { lexical, semantic }: HybridSides,
  request: EngineRequest,
  times: StageTimes<EngineStage>,
): Promise<EngineAnswer<{ readonly rows: readonly Fused[]; readonly byWords: number }>> {
  const words = await times.during('lexical', () => wordOrder(lexical, request));
  if (!words.ok) return words;
  const near = await times.during('vector', () => orderOf(semantic, request));
  if (!near.ok) return near;
  const sides = { lexical, semantic };
  const evident = await times.during('lexical', () => withEvidence(sides, request, words.value, near.value));
  if (!evident.ok) return evident;
  const settled = await times.during('lexical', () => settledByWords(sides, request, words.value));
  if (!settled.ok) return settled;
  const second = inFront(settled.value, evident.value);
  const rows = await times.during('fusion', () => fuse([words.value, second], request.fusion?.rrf_k ?? RRF_K));
  return { ok: true, value: { rows, byWords: words.value.length } };
}

/**
 * The rows that stand in front of both orders, as words have them: nearness moves none of them. Hashed words know less of the
 * words of a text than an engine of words, so with them these are all that words find. A model may move what has the words
 * somewhere, and nothing that has the very phrase or name that was typed (D280).
 */
async function settledByWords({ lexical, semantic }: HybridSides, request: EngineRequest, words: readonly number[]): Promise<EngineAnswer<readonly number[]>> {
  if (semantic.knowsMeaning !== true) return { ok: true, value: words };
  const { match } = request;
  const exact = match.by === 'words' ? exactExpression(match) : undefined;
  if (match.by !== 'words' || exact === undefined || words.length === 0) return { ok: true, value: [] };
  if (exact === match.expression) return { ok: true, value: words };
  const found = await wordOrder(lexical, { ...request, match: { by: 'words', expression: exact, text: match.text } });
  if (!found.ok) return found;
  const exactly = new Set(found.value);
  return { ok: true, value: words.filter((id) => exactly.has(id)) };
}

function inFront(first: readonly number[], rest: readonly number[]): readonly number[] {
  const before = new Set(first);
  return [...first, ...rest.filter((id) => !before.has(id))];
}

/**
 * The near rows that something speaks for: any of the words, or vectors that know meaning. Vectors of hashed words are near to
 * each other by chance: with these alone a row would stand before what the words find, or where nothing is to be found (D238).
 */
async function withEvidence(
  { lexical, semantic }: HybridSides,
  request: EngineRequest,
  words: readonly number[],
  near: readonly number[],
): Promise<EngineAnswer<readonly number[]>> {
  if (semantic.knowsMeaning === true || request.match.by !== 'words') return { ok: true, value: near };
  const expression = anyOf(request.match.expression);
  if (expression === undefined) return { ok: true, value: near };
  const { match } = request;
  const any = expression === match.expression ? { ok: true as const, value: words } : await wordOrder(lexical, { ...request, match: { ...match, expression } });
  if (!any.ok) return any;
  const evident = new Set([...words, ...any.value]);
  return { ok: true, value: near.filter((id) => evident.has(id)) };
}

const RRF_K = 60;

async function wordOrder(engines: readonly MessageEngine[], request: EngineRequest): Promise<EngineAnswer<readonly number[]>> {
  let answer: EngineAnswer<readonly number[]> = { ok: false, error: { kind: 'feature_unavailable', message: 'there is no engine of words' } };
  for (const engine of engines) {
    answer = await orderOf(engine, request);
    if (answer.ok) return answer;
  }
  // Nobody wrote such words: vectors alone order the rest.
  return !answer.ok && answer.error.kind === 'invalid_query' ? { ok: true, value: [] } : answer;
}

/** Ids of the best rows of a set, whatever page is asked for. */
async function orderOf(engine: MessageEngine, request: EngineRequest): Promise<EngineAnswer<readonly number[]>> {
  const found = await engine.find({
    ...request,
    order: 'relevance',
    min_score: null,
    after: null,
    offset: 0,
    limit: 1,
    count: false,
    facets: false,
    list: FUSION_POOL,
  });
  if (!found.ok) return found;
  const ids = found.value.list?.ids ?? '';
  return { ok: true, value: ids === '' ? [] : ids.split(',', FUSION_POOL).map(Number) };
}
