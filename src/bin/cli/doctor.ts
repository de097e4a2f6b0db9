import { describeConfig } from '../../../config/describe.ts';
import type { ScopesDoor } from '../../core/ports/search-scopes.ts';
import type { Diagnosis } from '../../surfaces/cli/services.ts';
import type { CliRedis } from './redis.ts';
import type { CliSettings } from './settings.ts';
import { examineContentIndex } from '../../content-search/ngram-index/serving/doctor.ts';
import { examineContentSearch } from '../../content-search/io/doctor.ts';
import { examineDirectories } from '../../data-dir/doctor/directories.ts';
import { examineHost } from '../../adapters/linux/doctor.ts';
import { examineKeys } from '../../data-dir/doctor/keys.ts';
import { examineMessages } from '../../messages/serving/doctor.ts';
import { examinePlans } from '../../adapters/tool-bindings/doctor.ts';
import { examineSearch } from '../../core/scope-findings.ts';
import { examineServers } from '../../adapters/redis/doctor.ts';

export interface DiagnosedDoors {
  readonly redis: CliRedis;
  readonly scopes: ScopesDoor;
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
