import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { forgetBuildServer } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { openAccess } from '../../data-dir/access.ts';
import { createAuditReader } from '../../data-dir/audit-reader.ts';
import { currentUser, openAudit } from '../../data-dir/open-audit.ts';
import { createScreenShelf } from '../../data-dir/screen-shelf.ts';
import type { CliServices, GlobalOptions } from '../../surfaces/cli/services.ts';
import { openScopes } from './scopes/index.ts';
import { createCliRedis, programWords, readSettings } from './settings.ts';

/** The services of one command line. Each part is loaded and opened when it is first asked for, and closed with the whole: no command waits for what another needs. */
export async function openServices(options: GlobalOptions, settings = readSettings(options)): Promise<CliServices> {
  const { loaded, places } = settings;
  const { config } = loaded;
  const closing: (() => unknown)[] = [];
  const kept = <T extends object>(opened: T): T => {
    closing.push(() => (Symbol.asyncDispose in opened ? (opened as AsyncDisposable)[Symbol.asyncDispose]() : undefined));
    return opened;
  };
  const redis = kept(createCliRedis(settings));
  const tracing = once(async () => (config.tracing.enabled ? kept(await (await import('./tracing.ts')).openTracedPushes(config)) : undefined));
  const signals = once(async () => (await import('../../adapters/redis/signals.ts')).createRedisSignals(await redis.connection('subscriber')));
  const results = once(async () => {
    const [{ openResults }, { openEd25519 }] = await Promise.all([import('../results.ts'), import('../signatures.ts')]);
    return openResults(places, () => openEd25519(config.crypto.implementation));
  });
  const tasks = once(async () => {
    const traced = await tracing();
    const { openProducerSide } = await import('../producer-side.ts');
    const connection = await redis.connection('producer');
    const producer = kept(openProducerSide({ config, places, connection, signals, results: await results() }));
    const gateway = producer.gateway(traced?.tasks);
    // A journal that cannot be read is told before anything is pushed.
    void gateway.journal;
    return gateway;
  });
  const signatures = once(async () => (await import('../signatures.ts')).openSignatures(settings, redis));
  const kernel = once(async () => {
    const { createKernelConnection, kernelClient } = await import('../../kernel/index.ts');
    // Nobody is asked before the first call.
    const connection = createKernelConnection(places.kernelSocket);
    closing.push(() => connection.close());
    // Who asks is what the operating system says, as far as it goes: whoever may open the socket could say anything.
    return kernelClient(connection, `${os.userInfo().username} (writ)`);
  });
  const audit = once(async () => openAudit(places, config.audit));
  const scopes = openScopes(config);
  const planPreview = once(async () => (await import('../plan/preview.ts')).createPlanPreview(config));
  const plans = once(async () => {
    const traced = await tracing();
    const { openPlanSide } = await import('../plan/plan-side.ts');
    const connection = await redis.connection('producer');
    const opened = kept(openPlanSide({ config, places, connection, signals, results: await results() }));
    return traced?.plans(opened) ?? opened;
  });
  const planSigned = once(async () => {
    const [{ planSignatures }, { openEd25519 }] = await Promise.all([import('../plan/signatures.ts'), import('../signatures.ts')]);
    return planSignatures({ config, places, ed25519: await openEd25519(config.crypto.implementation) });
  });
  const contentIndex = once(async () => (await import('../content.ts')).openContentIndex(settings, redis));
  const serverSearch = once(async () => kept(await (await import('../content.ts')).openServerSearch(config)));
  const searchMessages = async (messages: Config['messages']) =>
    kept((await import('../messages.ts')).openMessageSearch({ config: { ...config, messages }, places }));
  const messageSearch = once(() => searchMessages(config.messages));
  const messageIngest = once(async () => kept(await (await import('../messages.ts')).openMessageIngest(settings, redis)));
  const queues = once(async () => kept(await (await import('./status.ts')).openQueueControl(settings, redis)));
  const vault = once(async () => kept((await import('./vault.ts')).openVault(settings, audit)));

  return {
    dataDir: places.dataDir,
    programWords: programWords(options, settings),
    maxTtlS: config.lease.max_ttl_s,
    regrantByDefault: config.board.regrant,
    randomId: randomUUID,
    showPath: (base, segments) => path.join(config.file.base_directories[base] ?? `(${base})`, ...segments),
    tasks,
    signatures,
    kernel,
    status: async () => (await import('./status.ts')).readStatus(settings, redis),
    queues,
    vault,
    scopes,
    planPreview,
    plans,
    planSignatures: planSigned,
    serverSearch,
    messageSearch,
    watched: forgetBuildServer,
    async compareEngines(wish) {
      const by = (engine: Config['messages']['engine']) => searchMessages({ ...config.messages, engine });
      const name = config.messages.postgresql_url === '' ? 'tantivy' : 'postgresql';
      const [serving, shadow] = await Promise.all([by('fts5'), by(name)]);
      return (await import('../../messages/search/compare-engines.ts')).compareEngines({ name, serving, shadow }, wish);
    },
    screenShelf: createScreenShelf(places.screenShelf),
    projectsAndProducts: async (viewer) => (await import('../../messages/serving/places.ts')).placesOf(config.messages, places.messages, viewer),
    contentIndex,
    messageIngest,
    reload: async () => (await import('../../reload/request.ts')).askReload(places.running, { id: randomUUID(), who: currentUser() }),
    diagnose: async () => (await import('./doctor.ts')).diagnose(settings, { redis, scopes, reachKernel: async () => (await kernel()).ping() }),
    rebuildLedger: async () => (await import('./rebuild.ts')).rebuildLedger(settings, redis),
    async initialise() {
      const [{ initialise }, { renderOwnToml }] = await Promise.all([import('../../data-dir/signing-keys.ts'), import('../../../config/render.ts')]);
      return { ...(await initialise(places, renderOwnToml())), baseDirectories: Object.values(config.file.base_directories) };
    },
    makeKey: async (wish) => (await import('../../data-dir/signing-keys.ts')).makeKey(wish, places),
    who: currentUser(),
    audit,
    auditReader: () => createAuditReader(places.audit),
    access: openAccess(places, { host: config.http.host, port: config.http.port, scheme: config.http.tls.cert_file === '' ? 'http' : 'https' }),
    async [Symbol.asyncDispose]() {
      // In reverse: what uses a connection closes before it.
      for (const close of closing.reverse()) await close();
    },
  };
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
