import { describeConfig } from '../../../../config/describe.ts';
import type { ScopeCatalog } from '../../../core/ports/search-scopes.ts';
import type { Diagnosis } from '../../../surfaces/cli/services.ts';
import type { CliRedis } from '../redis.ts';
import type { CliSettings } from '../settings.ts';
import { examineContentIndex } from './content-index.ts';
import { examineContentSearch } from './content-search.ts';
import { examineDirectories } from './directories.ts';
import { examineHost } from './host.ts';
import { examineKeys } from './keys.ts';
import { examineMessages } from './messages.ts';
import { examinePlans } from './plans.ts';
import { examineSearch } from './search.ts';
import { examineServers } from './servers.ts';

export interface DiagnosedDoors {
  readonly redis: CliRedis;
  readonly scopes: ScopeCatalog;
  reachKernel(): Promise<void>;
}

/** Every setting with its source, and every finding. Changes nothing but a probe file that is gone again. */
export async function diagnose({ loaded, places }: CliSettings, doors: DiagnosedDoors): Promise<Diagnosis> {
  const areas = await Promise.all([
    examineHost(places.dataDir),
    examineDirectories(places.dataDir, loaded.config),
    examineKeys(places),
    examineSearch(doors.scopes),
    examineContentSearch(loaded.config),
    examineContentIndex(loaded.config),
    examineMessages(loaded.config, places),
    examinePlans(loaded.config),
    examineServers(loaded.config, doors.redis, doors.reachKernel),
  ]);
  const settings = describeConfig(loaded).map(({ key, value, source }) => ({ key, value, source }));
  return { settings, checks: areas.flat() };
}
