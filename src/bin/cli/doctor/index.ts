import { describeConfig } from '../../../../config/describe.ts';
import type { Diagnosis } from '../../../producers/cli/services.ts';
import type { CliRedis } from '../redis.ts';
import type { CliSettings } from '../settings.ts';
import { examineDirectories } from './directories.ts';
import { examineHost } from './host.ts';
import { examineKeys } from './keys.ts';
import { examineServers } from './servers.ts';

/** Every setting with its source, and every finding. Changes nothing but a probe file that is gone again. */
export async function diagnose({ loaded, places }: CliSettings, redis: CliRedis, reachKernel: () => Promise<void>): Promise<Diagnosis> {
  const areas = await Promise.all([
    examineHost(places.dataDir),
    examineDirectories(places.dataDir, loaded.config),
    examineKeys(places),
    examineServers(loaded.config, redis, reachKernel),
  ]);
  const settings = describeConfig(loaded).map(({ key, value, source }) => ({ key, value, source }));
  return { settings, checks: areas.flat() };
}
