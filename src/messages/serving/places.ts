import { WritError } from '../../core/errors.ts';
import type { ProjectOrProduct, SearchViewer } from '../../core/ports/index.ts';
import { listProjectsAndProducts } from '../store/list-projects.ts';
import { createCopiedSearch } from './copied-search.ts';
import { type PostgresqlServers, type PostgresqlSettings, postgresqlOf } from './postgresql-target.ts';

/** Projects and products that are open to a viewer, for a screen: out of the store, or of the copy where there is none. @throws WritError STORAGE_UNAVAILABLE */
export async function placesOf(
  settings: PostgresqlSettings & { readonly read_only: boolean },
  file: string,
  viewer: SearchViewer,
): Promise<readonly ProjectOrProduct[]> {
  const { postgresql } = settings.read_only ? postgresqlOf(settings) : {};
  return postgresql === undefined ? listProjectsAndProducts(file, viewer) : copiedPlaces(postgresql, viewer);
}

async function copiedPlaces(target: PostgresqlServers, viewer: SearchViewer): Promise<readonly ProjectOrProduct[]> {
  const search = createCopiedSearch(target, () => undefined);
  try {
    return await search.places(viewer);
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', 'the copy of the messages in PostgreSQL cannot be asked', { cause: error });
  } finally {
    await search.close();
  }
}
