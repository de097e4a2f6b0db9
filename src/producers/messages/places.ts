import { WritError } from '../../core/errors.ts';
import type { MessageSearch } from '../../core/ports/index.ts';

type Product = NonNullable<Awaited<ReturnType<MessageSearch['product']>>>;

/** @throws WritError NOT_FOUND */
export async function projectNamed(key: string, field: string, search: Pick<MessageSearch, 'project'>): Promise<{ readonly id: number }> {
  const project = await search.project(key.trim());
  if (project === undefined) throw unknown(field, 'there is no project of this name');
  return project;
}

/** @throws WritError NOT_FOUND */
export async function productNamed(key: string, field: string, search: Pick<MessageSearch, 'product'>): Promise<Product> {
  const product = await search.product(key.trim());
  if (product === undefined) throw unknown(field, 'there is no product of this name');
  return product;
}

/** A project of the product. Throws WritError NOT_FOUND for one that is not linked to it. */
export async function projectOf(product: Product, key: string, field: string, search: Pick<MessageSearch, 'project'>): Promise<{ readonly id: number }> {
  const project = await search.project(key.trim());
  if (project === undefined || !product.project_ids.includes(project.id)) throw unknown(field, 'the product has no project of this name');
  return project;
}

function unknown(field: string, message: string): WritError {
  return new WritError('NOT_FOUND', `${field}: ${message}`, { field });
}
