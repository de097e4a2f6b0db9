import { randomUUID } from 'node:crypto';
import type { Config } from '../../../../config/schema.ts';
import { createIndexService } from '../../../content-search/index.ts';
import type { IndexService, MaintenanceLane } from '../../../core/ports/index.ts';

export interface IndexServiceWiring {
  readonly config: Pick<Config, 'tools'>;
  readonly lane: Pick<MaintenanceLane, 'submit'>;
}

/** The indexes of a pool for processes beside their host: what they left on the disk, and what a running host says. */
export function indexService({ config, lane }: IndexServiceWiring): IndexService {
  const { search, sandbox } = config.tools;
  const roots = search.index_roots.length > 0 ? search.index_roots : sandbox.allowed_roots.slice(0, 1);
  return createIndexService({ mode: search.index_mode, roots, lane, look: async () => [], host: async () => undefined });
}

/** Id of a job. */
export function randomHex(): string {
  return randomUUID().replaceAll('-', '');
}
