import { messageOf } from '../../../core/errors.ts';
import { embeddedText } from '../../../core/ports/embedder.ts';
import type { EngineAnswer, EngineRequest, MessageEngine } from '../../../core/ports/message-engine.ts';
import type { Reranker } from '../../../core/ports/reranker.ts';
import { withTimeout } from '../../../core/with-timeout.ts';
import type { Fused } from './fusion.ts';

/** Rows that are judged unless a query says otherwise. */
const TOP_K = 100;

export interface RerankParts {
  readonly reranker: Reranker;
  /** Has the texts of the rows. */
  readonly rows: Pick<MessageEngine, 'rows'>;
  /** Milliseconds that the model may take; then the search goes on without it. */
  readonly budgetMs: number;
}

/** The first rows of a fused order, ordered by a model that reads them together with the query. */
export async function rerankedSet(
  { reranker, rows, budgetMs }: RerankParts,
  request: EngineRequest,
  fused: readonly Fused[],
): Promise<EngineAnswer<readonly Fused[]>> {
  if (request.match.by !== 'words' || fused.length === 0) return { ok: true, value: fused };
  const { text } = request.match;
  const first = fused.slice(0, request.fusion?.rerank_top_k ?? TOP_K);
  const found = await rows.rows({ ...request, bodies: true, ids: first.map(({ id }) => id) });
  if (!found.ok) return found;
  const texts = new Map(found.value.map(({ id, title, body }) => [id, embeddedText(title, body)]));
  const patience = new AbortController();
  try {
    const logits = await withTimeout(
      reranker.judge(
        text,
        first.map(({ id }) => texts.get(id) ?? ''),
        patience.signal,
      ),
      budgetMs,
    );
    if (logits === undefined) return failed('rerank_timeout', `the model took longer than ${budgetMs} ms`);
    if (logits.length !== first.length || !logits.every(Number.isFinite)) return failed('rerank_failed', 'the model made something that is no number');
    return { ok: true, value: reranked(fused, logits.map(sigmoid)) };
  } catch (error) {
    return failed('rerank_failed', messageOf(error));
  } finally {
    patience.abort();
  }
}

function failed(stage: 'rerank_timeout' | 'rerank_failed', message: string): EngineAnswer<never> {
  return { ok: false, error: { kind: 'engine_error', message, stage } };
}

/** What a cross-encoder's number means: 0.5 for 0, never less than 0, never more than 1. */
export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/**
 * The first rows by their new scores, the rest behind them: its scores lie between 0 and the lowest new one, in the order that
 * it had (docs/message-search.md). Scores of the two parts are of different scales, and the one order must hold.
 *
 * @param judged new scores of the first rows, 0 to 1, in their order
 */
export function reranked(fused: readonly Fused[], judged: readonly number[]): readonly Fused[] {
  const lowest = Math.min(1, ...judged);
  return fused
    .map(({ id, score }, index) => ({ id, score: judged[index] ?? score * lowest, block: index < judged.length ? 0 : 1 }))
    .sort((a, b) => a.block - b.block || b.score - a.score || a.id - b.id)
    .map(({ id, score }) => ({ id, score }));
}
