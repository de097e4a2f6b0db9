import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { createAuditReader } from '../../adapters/linux/audit-reader.ts';
import type { CliServices, GlobalOptions } from '../../producers/cli/services.ts';
import { createPlanPreview } from '../plan/preview.ts';
import { planSignatures } from '../plan/signatures.ts';
import { openAccess } from './access.ts';
import { openAudit, whoAsks } from './audit.ts';
import { openContentIndex } from './content-index.ts';
import { diagnose } from './doctor/index.ts';
import { openKernel } from './kernel.ts';
import { initialise, makeKey } from './keys.ts';
import { openPlans } from './plans.ts';
import { rebuildLedger } from './rebuild.ts';
import { createCliRedis } from './redis.ts';
import { openScopes } from './scopes/index.ts';
import { readSettings } from './settings.ts';
import { openEd25519, openSignatures } from './signatures.ts';
import { readStatus } from './status.ts';
import { openTasks } from './tasks.ts';
import { openVault } from './vault.ts';

/** The services of one command line. Each part is opened when it is first asked for, and closed with the whole. */
export async function openServices(options: GlobalOptions): Promise<CliServices> {
  const settings = readSettings(options);
  const { loaded, places } = settings;
  const { config } = loaded;
  const closing: (() => unknown)[] = [];
  const kept = <T extends object>(opened: T): T => {
    closing.push(() => (Symbol.asyncDispose in opened ? (opened as AsyncDisposable)[Symbol.asyncDispose]() : undefined));
    return opened;
  };
  const redis = kept(createCliRedis(settings));
  const tasks = once(async () => kept(await openTasks(settings, redis)));
  const signatures = once(() => openSignatures(settings, redis));
  const kernel = once(async () => kept(openKernel(settings)));
  const audit = once(async () => openAudit(places));
  const scopes = openScopes(config);
  const planPreview = once(async () => createPlanPreview(config));
  const plans = once(async () => kept(await openPlans(settings, redis)));
  const planSigned = once(async () => planSignatures({ config, places, ed25519: await openEd25519(config.crypto.implementation) }));
  const contentIndex = once(() => openContentIndex(settings, redis));
  const vault = once(async () => kept(openVault(settings, audit)));

  return {
    dataDir: places.dataDir,
    maxTtlS: config.lease.max_ttl_s,
    regrantByDefault: config.board.regrant,
    randomId: randomUUID,
    showPath: (base, segments) => path.join(config.file.base_directories[base] ?? `(${base})`, ...segments),
    tasks,
    signatures,
    kernel,
    status: () => readStatus(settings, redis),
    vault,
    scopes,
    planPreview,
    plans,
    planSignatures: planSigned,
    contentIndex,
    diagnose: () => diagnose(settings, { redis, scopes, reachKernel: async () => (await kernel()).ping() }),
    rebuildLedger: () => rebuildLedger(settings, redis),
    initialise: () => initialise(places),
    makeKey: (wish) => makeKey(wish, places),
    who: whoAsks(),
    audit,
    auditReader: () => createAuditReader(places.audit),
    access: openAccess(settings),
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
