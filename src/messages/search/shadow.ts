import type { ShadowComparison } from '../../contracts/index.ts';
import type { MessageSearchEvent } from '../../core/ports/message-search.ts';
import { catchEngineErrors, type ServedPage } from './pages.ts';
import { type EngineSetup, type Route, whyMissing } from './planner.ts';

const DEPTH = 10;

interface ShadowParts extends EngineSetup {
  readonly emit: (event: MessageSearchEvent) => void;
}

/** The engine in the shadow: PostgreSQL where there is a copy, which is then looked at before it serves; else Tantivy. */
export function shadowOf({ engines }: EngineSetup): 'postgresql' | 'tantivy' {
  return engines.postgresql === undefined ? 'tantivy' : 'postgresql';
}

/** Asks the engine in the shadow the same and tells how the first pages compare. Its failure concerns nobody; why it is missing is for explain. */
export function startShadow(
  parts: ShadowParts,
  route: Route,
  served: ServedPage | null,
): { readonly missing: string | undefined; readonly comparison: Promise<ShadowComparison | undefined> } {
  const missing = route.shadow ? whyMissing(parts, shadowOf(parts), false) : undefined;
  const isCompared = route.shadow && missing === undefined && served?.request.match.by === 'words' && !served.page.cursorUsed;
  return { missing, comparison: isCompared ? compareWithShadow(parts, served) : Promise.resolve(undefined) };
}

async function compareWithShadow(parts: ShadowParts, { engine, request, page }: ServedPage): Promise<ShadowComparison | undefined> {
  const { emit } = parts;
  const shadow = parts.engines[shadowOf(parts)];
  if (shadow === undefined) return undefined;
  const found = await catchEngineErrors(async () => shadow.find({ ...request, after: null, list: 0 }));
  if (!found.ok) {
    emit({ event: 'search.engine.error', engine: shadow.name, message: found.error.message });
    return undefined;
  }
  const comparison = compareShadow(
    page.rows.map(({ id }) => id),
    found.value.rows.map(({ id }) => id),
    { serving: engine.name, shadow: shadow.name },
  );
  emit({ event: 'search.shadow.comparison', comparison });
  return comparison;
}

/**
 * How the list of a second engine compares with the list that was served (message-search.md 5): the first pages of both, ids
 * in their order. The serving order is the judge: places 1 to 3 have grade 3, 4 to 6 grade 2, 7 to 10 grade 1.
 */
export function compareShadow(serving: readonly number[], shadow: readonly number[], engines: { serving: string; shadow: string }): ShadowComparison {
  const [served, shadowed] = [new Set(serving), new Set(shadow)];
  const both = serving.filter((id) => shadowed.has(id)).length;
  const either = served.size + shadowed.size - both;
  return {
    serving_engine: engines.serving,
    shadow_engine: engines.shadow,
    overlap_jaccard: either === 0 ? 1 : both / either,
    ndcg_at_10: ndcg(serving, shadow),
    mrr_delta: mrrDelta(serving, shadow),
    serving_only: served.size - both,
    shadow_only: shadowed.size - both,
  };
}

function ndcg(serving: readonly number[], shadow: readonly number[]): number {
  if (serving.length === 0) return shadow.length === 0 ? 1 : 0;
  const grades = new Map(serving.slice(0, DEPTH).map((id, index) => [id, gradeOf(index + 1)]));
  const gain = (ids: readonly number[]): number =>
    ids.slice(0, DEPTH).reduce((sum, id, index) => sum + (2 ** (grades.get(id) ?? 0) - 1) / Math.log2(index + 2), 0);
  return gain(shadow) / gain(serving);
}

function gradeOf(place: number): number {
  if (place <= 3) return 3;
  return place <= 6 ? 2 : 1;
}

function mrrDelta([first]: readonly number[], shadow: readonly number[]): number {
  if (first === undefined) return 0;
  const place = shadow.indexOf(first) + 1;
  return (place === 0 ? 0 : 1 / place) - 1;
}
