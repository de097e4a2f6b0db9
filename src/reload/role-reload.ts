import type { Fingerprint } from '../core/fingerprint.ts';
import type { PatientAuditLog } from '../core/ports/index.ts';
import { type AuditSettings, openAudit } from '../data-dir/open-audit.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';
import { type RunningRole, type RunningWord, tellRunning } from '../data-dir/running-roles.ts';
import { LOG_LINES } from '../observability/log-lines.ts';
import type { Logger } from '../observability/logging.ts';
import type { Finding } from '../observability/metrics-socket.ts';
import type { Judged, ReloadPoint, SettingsHolder } from './live-settings.ts';
import { followRequests } from './request.ts';
import { watchSettings } from './watch.ts';

/** What a role needs to take up settings while it runs. */
export interface Reloadable<C> {
  readonly settings: SettingsHolder<C>;
  /** The settings as the files and the role's own flags and variables say them now. Throws WritError INVALID_CONFIG. */
  readonly read: () => C;
  /** The file that they are read from; absent: nothing is followed. */
  readonly file?: string;
}

/** What of the settings this room reads. */
interface Levelled {
  readonly audit: AuditSettings;
  readonly log: { readonly level: string };
  readonly plan: { readonly registry_dir: string };
  readonly reload: { readonly watch: boolean; readonly settle_ms: number };
}

export interface RoleReloadOptions<C> {
  readonly role: string;
  readonly config: C;
  readonly fingerprintOf: (config: C) => Fingerprint;
  /** What of the settings that were read can be taken up. Throws WritError INVALID_CONFIG. */
  readonly judge: (now: C, read: C) => Judged<C>;
  /** Absent: the role keeps the settings that it was given. */
  readonly reloadable?: Reloadable<C> | undefined;
  readonly places: DataDirPaths;
  readonly log: Logger;
  readonly onPoint?: (point: ReloadPoint) => Promise<void> | undefined | void;
}

export interface RoleReload {
  /** SIGHUP, at any time; before `begin` it waits for that. */
  signalled(): void;
  /** The role works: tells so, and takes requests from now on. */
  begin(): void;
  end(): Promise<void>;
}

/** Who asked when the role followed the files by itself. */
const WATCH = 'reload.watch';

/** Who asked when it was a signal: the system does not say whose. */
const SIGNAL = 'SIGHUP';

/** Says which settings a role has (`<data>/running`), and takes up others on SIGHUP and for `writ reload` (`docs/operations.md`). */
export function reloadRole<C extends Levelled>({ role, config, fingerprintOf, judge, reloadable, places, log, onPoint }: RoleReloadOptions<C>): RoleReload {
  let word: RunningWord | undefined;
  let requests: { end(): void } | undefined;
  let watching: { end(): Promise<void> } | undefined;
  let isSignalled = false;
  let answer: RunningRole['answer'];
  const said = (): RunningRole => ({
    role,
    pid: process.pid,
    settings: { ...fingerprintOf(reloadable?.settings.current ?? config) },
    ...(reloadable === undefined ? {} : { generation: reloadable.settings.generation, files: { ...reloadable.settings.files() } }),
    ...(answer === undefined ? {} : { answer }),
  });
  reloadable?.settings.follow((next) => ({
    commit() {
      log.level = next.log.level;
    },
    abandon: async () => undefined,
  }));

  const untold = (error: unknown): void => {
    if (error !== undefined) log.warn({ err: error, file: 'audit' }, LOG_LINES.rotationFailed.message);
  };
  let opened: PatientAuditLog | undefined;
  const auditLog = (): PatientAuditLog => {
    opened ??= openAudit(places, config.audit, untold);
    return opened;
  };

  async function reload(who: string, request: string | undefined): Promise<void> {
    if (reloadable === undefined) return;
    const { settings, read } = reloadable;
    const end = await settings.reload(who, {
      role: `${role} ${process.pid}`,
      read,
      judge,
      audit: auditLog(),
      tell: () => word?.change(said()),
      warn: (why) => log.error({ problem: why }, LOG_LINES.settingsUnrecorded.message),
      ...(onPoint === undefined ? {} : { onPoint }),
    });
    const { outcome, changed, restart, problem } = end;
    if (outcome === 'refused') log.error({ problem }, LOG_LINES.settingsRefused.message);
    // The first look of a watch finds what the role was started with.
    else if (who !== WATCH || changed.length + restart.length > 0)
      log.info({ changed, restart, generation: settings.generation }, LOG_LINES.settingsReloaded.message);
    if (request === undefined) return;
    answer = { request, ...end, changed: [...changed], restart: [...restart] };
    word?.change(said());
  }

  const watch = (file: string): { end(): Promise<void> } =>
    watchSettings({
      watched: { file, registryDir: config.plan.registry_dir },
      settleMs: config.reload.settle_ms,
      changed: () => void reload(WATCH, undefined),
      missing: (gone) => log.warn({ file: gone }, LOG_LINES.settingsGone.message),
      trouble: (error) => log.warn({ err: error }, LOG_LINES.settingsUnwatched.message),
    });

  return {
    signalled() {
      log.info(LOG_LINES.reload.message);
      isSignalled = word === undefined;
      if (word !== undefined) void reload(SIGNAL, undefined);
    },
    begin() {
      word = tellRunning(places.running, said());
      if (isSignalled) void reload(SIGNAL, undefined);
      // What was asked for before this process began was read by it.
      if (reloadable !== undefined) requests = followRequests(places.running, performance.timeOrigin, ({ id, who }) => void reload(who, id));
      if (reloadable?.file !== undefined && config.reload.watch) watching = watch(reloadable.file);
    },
    async end() {
      requests?.end();
      await watching?.end();
      word?.end();
    },
  };
}

/** For `/readyz`: which settings the role has. */
export function settingsFindings(reloadable: { readonly settings: { readonly generation: number } } | undefined): readonly Finding[] {
  if (reloadable === undefined) return [];
  return [{ name: 'settings', ok: true, detail: `generation ${reloadable.settings.generation}` }];
}
