import { describeConfig } from '../../../config/describe.ts';
import { fingerprintOf } from '../../../config/fingerprint.ts';
import { userSurroundings } from '../../../config/load.ts';
import { effectOf } from '../../../config/reloadable.ts';
import { poolAlone } from '../../../processors/pool-alone.ts';
import { pausedFinding } from '../../../queues/queue-control.ts';
import { examineHost } from '../../adapters/linux/doctor.ts';
import { asUser, redisProbes } from '../../adapters/redis/doctor.ts';
import type { RedisConnection } from '../../adapters/redis/redis-connection.ts';
import { examineJournal } from '../../adapters/sqlite/doctor.ts';
import { examinePlans } from '../../adapters/tool-bindings/doctor.ts';
import { examineContentSearch } from '../../content-search/io/doctor.ts';
import { examineContentIndex } from '../../content-search/ngram-index/serving/doctor.ts';
import { contentSettings } from '../../content-search/settings/content-settings.ts';
import { contentRefusal, indexRefusal } from '../../content-search/settings/refusals.ts';
import { examine, passed } from '../../core/findings.ts';
import type { ScopeCatalog } from '../../core/ports/search-scopes.ts';
import { examineScopes } from '../../core/scope-findings.ts';
import { examineDirectories } from '../../data-dir/doctor/directories.ts';
import { examineKeys } from '../../data-dir/doctor/keys.ts';
import { examineRotation } from '../../data-dir/doctor/rotation.ts';
import { examineRunning } from '../../data-dir/doctor/running.ts';
import { examineMessages } from '../../messages/serving/doctor.ts';
import { readPlaces } from '../../observability/worker-places.ts';
import { BINDINGS, bindingsMark } from '../../reload/live-bindings.ts';
import { REGISTRIES, registriesMark } from '../../reload/live-registries.ts';
import type { Diagnosis } from '../../surfaces/cli/services.ts';
import { registryDirectories, registryRoots } from '../plan/registry-roots.ts';
import { memoryLimits } from '../redis-target.ts';
import type { CliRedis, CliSettings } from './settings.ts';
import { settingsProbes } from './settings-probes.ts';
import { openQueueControl } from './status.ts';

const START = 'run `writ up`';
const LOOK = 'look at the server of redis.url';

export interface DiagnosedServices {
  readonly redis: CliRedis;
  readonly scopes: ScopeCatalog;
  reachKernel(): Promise<void>;
}

/** Every setting with its source, and every finding. Changes nothing but a probe file that is gone again. */
export async function diagnose({ loaded, places }: CliSettings, { redis, scopes, reachKernel }: DiagnosedServices): Promise<Diagnosis> {
  const { config } = loaded;
  const { search, sandbox } = config.tools;
  const content = () => contentSettings(config, userSurroundings());
  const server = {
    url: config.redis.url,
    limits: (connection: RedisConnection) => memoryLimits(config, connection),
    start: config.redis.url === '' ? START : LOOK,
    connect: () => redis.connection('producer'),
  };
  const kernel = async () => {
    await reachKernel();
    return passed('answers');
  };
  const areas = await Promise.all([
    examineHost(places.dataDir),
    examineDirectories(places.dataDir, config.file, () => readPlaces(places.metrics)),
    examineKeys(places),
    examineRunning(places.running, fingerprintOf(config), effectOf, {
      [BINDINGS]: () => bindingsMark(registryRoots(config)),
      [REGISTRIES]: () => registriesMark(registryDirectories(config)),
    }),
    examineRotation(places, config),
    examineJournal(places.journal, config.journal),
    examineScopes(scopes),
    examineContentSearch({ refusal: contentRefusal(config), allowedRoots: sandbox.allowed_roots, settings: content }),
    examineContentIndex({ refusal: indexRefusal(config), settings: content, limits: search }),
    examineMessages(config.messages, places),
    examinePlans(registryDirectories(config)),
    examine('Settings of roles', settingsProbes(config)),
    redisProbes(server).then((probes) =>
      examine('Servers', [
        ...probes,
        ...asUser([
          { title: 'queues', look: async () => pausedFinding(await openQueueControl({ loaded, places }, redis)), todo: server.start },
          { title: 'workers of the pool', look: async () => poolAlone(await server.connect(), config.pool.id, places.workers), todo: server.start },
        ]),
        { title: 'kernel', look: kernel, todo: START },
      ]),
    ),
  ]);
  const settings = describeConfig(loaded).map(({ key, value, source }) => ({ key, value, source }));
  return { settings, checks: areas.flat() };
}
