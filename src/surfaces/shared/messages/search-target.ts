import type { SearchQuery } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { EngineAnswer, MessageSearch, NamedProduct, NamedProject, SearchViewer } from '../../../core/ports/index.ts';

/** Who looks for a place, and where. */
export interface Looking {
  readonly search: Pick<MessageSearch, 'project' | 'product'>;
  readonly viewer: SearchViewer;
}

/** @throws WritError NOT_FOUND */
async function projectNamed(key: string, field: string, { search, viewer }: Looking): Promise<EngineAnswer<NamedProject>> {
  return there(await search.project(key.trim(), viewer), field, 'there is no project of this name');
}

/** @throws WritError NOT_FOUND */
async function productNamed(key: string, field: string, { search, viewer }: Looking): Promise<EngineAnswer<NamedProduct>> {
  return there(await search.product(key.trim(), viewer), field, 'there is no product of this name');
}

/** A project of the product. Throws WritError NOT_FOUND for one that is not linked to it. */
async function projectOf(product: NamedProduct, key: string, field: string, { search, viewer }: Looking): Promise<EngineAnswer<NamedProject>> {
  const answer = await search.project(key.trim(), viewer);
  const linked = answer.ok && answer.value !== undefined && product.project_ids.includes(answer.value.id);
  return there(answer.ok && !linked ? { ok: true, value: undefined } : answer, field, 'the product has no project of this name');
}

/**
 * What was looked up. That it is not there is the caller's mistake; that nobody can tell, because the database is missing or
 * damaged, is an error for the search to say (`MessageSearch.errorResponse`), never NOT_FOUND.
 */
function there<T>(answer: EngineAnswer<T | undefined>, field: string, message: string): EngineAnswer<T> {
  if (!answer.ok) return answer;
  if (answer.value === undefined) throw new WritError('NOT_FOUND', `${field}: ${message}`, { field });
  return { ok: true, value: answer.value };
}

/** Where a search looks: places that were found, or why they could not be looked up. */
export type SearchTarget = EngineAnswer<Pick<SearchQuery, 'project_id' | 'product_id'>>;

/** The whole of a project. Throws WritError NOT_FOUND. */
export async function inProject(key: string, field: string, looking: Looking): Promise<SearchTarget> {
  const project = await projectNamed(key, field, looking);
  return project.ok ? { ok: true, value: { project_id: project.value.id } } : project;
}

/** A product, or the one of its projects that is wanted. Throws WritError NOT_FOUND. */
export async function inProduct(
  key: string,
  field: string,
  looking: Looking,
  wanted?: { readonly field: string; readonly word: string },
): Promise<SearchTarget> {
  const product = await productNamed(key, field, looking);
  if (!product.ok) return product;
  if (wanted === undefined) return { ok: true, value: { product_id: product.value.id } };
  const project = await projectOf(product.value, wanted.word, wanted.field, looking);
  return project.ok ? { ok: true, value: { project_id: project.value.id } } : project;
}
