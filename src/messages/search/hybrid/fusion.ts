import type { EngineAnswer, EngineRequest, EngineStage, MessageEngine } from '../../../core/ports/message-engine.ts';
import type { StageTimes } from '../../../core/stage-times.ts';

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
}

/** Both sides' best rows of a set, fused. Fails when a side has no answer; a text that is no expression of words has none of their rows. */
export async function fusedSet(sides: HybridSides, request: EngineRequest, times: StageTimes<EngineStage>): Promise<EngineAnswer<FusedSet>> {
  const visible = await fusedRows(sides, request, times);
  if (!visible.ok) return visible;
  const { viewers, keep_denied, only_denied, hide_denied } = request.scope;
  if (viewers.length === 0 || keep_denied || only_denied || hide_denied) return { ok: true, value: { visible: visible.value, denied: [] } };
  const denied = await fusedRows(sides, { ...request, scope: { ...request.scope, only_denied: true } }, times);
  return denied.ok ? { ok: true, value: { visible: visible.value, denied: denied.value } } : denied;
}

async function fusedRows({ lexical, semantic }: HybridSides, request: EngineRequest, times: StageTimes<EngineStage>): Promise<EngineAnswer<readonly Fused[]>> {
  const words = await times.during('lexical', () => wordOrder(lexical, request));
  if (!words.ok) return words;
  const near = await times.during('vector', () => orderOf(semantic, request));
  if (!near.ok) return near;
  return { ok: true, value: await times.during('fusion', () => fuse([words.value, near.value], request.fusion?.rrf_k ?? RRF_K)) };
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
  const found = await engine.find({ ...request, order: 'relevance', min_score: null, after: null, offset: 0, limit: 1, count: false, list: FUSION_POOL });
  if (!found.ok) return found;
  const ids = found.value.list?.ids ?? '';
  return { ok: true, value: ids === '' ? [] : ids.split(',', FUSION_POOL).map(Number) };
}
