import { messageOf } from '../core/errors.ts';
import type { Fingerprint } from '../core/fingerprint.ts';
import type { PatientAuditLog } from '../core/ports/index.ts';

/** A part of a role that is ready to go over to the settings that it was asked about. */
export interface Prepared {
  /** Goes over, at once. Must not throw. */
  readonly commit: () => unknown;
  /** Gives back what was prepared: other parts could not be, or nothing is to be taken up. */
  readonly abandon: () => Promise<void>;
  /** What differs in files beside the settings and is taken up with the commit. */
  readonly changed?: readonly Difference[];
  /** What differs there and needs a restart. */
  readonly restart?: readonly string[];
}

/** One line of a diff, fit for the audit log. */
export interface Difference {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** Makes a part ready for the next settings, which may be those of now, without a visible change; undefined: nothing of it changes. Throws WritError INVALID_CONFIG when it cannot go over. */
export type Part<C> = (next: C, now: C) => Promise<Prepared | undefined> | Prepared | undefined;

/** Settings that a role reads while it runs. Who does something over a while takes `current` once, at its beginning. */
export interface LiveSettings<C> {
  readonly current: C;
  /**
   * Adds a part that must be made ready before a change.
   *
   * @param files hashes of what it reads beside the settings
   */
  follow(part: Part<C>, files?: () => Fingerprint): void;
}

/** What a reload of one role came to. */
export interface ReloadEnd {
  /** `unchanged`: no setting that can be taken up differs. `refused`: nothing was changed, `problem` says why. */
  readonly outcome: 'taken' | 'unchanged' | 'refused';
  /** Names of the settings that were taken up. */
  readonly changed: readonly string[];
  /** Names of those that differ and need a restart. */
  readonly restart: readonly string[];
  readonly problem?: string;
}

/** The steps of a reload (`docs/operations.md`); a crash after each is told there. */
export const RELOAD_POINTS = ['read', 'judged', 'asked', 'swapped', 'told', 'done'] as const;
export type ReloadPoint = (typeof RELOAD_POINTS)[number];

export interface Judged<C> {
  readonly config: C;
  readonly changed: readonly Difference[];
  readonly restart: readonly string[];
}

export interface ReloadOptions<C> {
  readonly role: string;
  /** Reads the settings anew. Throws WritError INVALID_CONFIG with all that is wrong. */
  readonly read: () => C;
  /** What of them can be taken up. Throws WritError INVALID_CONFIG. */
  readonly judge: (now: C, read: C) => Judged<C>;
  readonly audit: PatientAuditLog;
  /** Tells others which settings the role has now. */
  readonly tell: () => void;
  /** Told when the record of a finished reload could not be written. */
  readonly warn: (why: string) => void;
  /** Test seam: called after each point; one that never resolves is a crash. */
  readonly onPoint?: (point: ReloadPoint) => Promise<void> | undefined | void;
}

/** The settings of a role, and the one who changes them. */
export interface SettingsHolder<C> extends LiveSettings<C> {
  /** Counts from 1, the settings that the role was started with. */
  readonly generation: number;
  /** Hashes of what the parts have read beside the settings. */
  files(): Fingerprint;
  /** Reads, judges and takes up; one after the other, whoever asks. Never rejects. */
  reload(who: string, options: ReloadOptions<C>): Promise<ReloadEnd>;
}

/** Longest value of a setting in a record of the audit log. */
const MAX_VALUE = 400;
/** More changes than this are counted only; the record must fit a line. */
const MAX_CHANGES = 50;

/** Holds the settings of one role: `current` is exchanged as a whole, so nobody ever sees half of a change. */
export function holdSettings<C>(first: C): SettingsHolder<C> {
  const parts: Part<C>[] = [];
  const files: (() => Fingerprint)[] = [];
  let [current, generation] = [first, 1];
  let before: Promise<unknown> = Promise.resolve();

  async function prepareAll(next: C): Promise<Prepared[]> {
    const prepared: Prepared[] = [];
    try {
      for (const part of parts) prepared.push(...[await part(next, current)].filter((one) => one !== undefined));
      return prepared;
    } catch (error) {
      await abandonAll(prepared);
      throw error;
    }
  }

  async function run(who: string, { role, read, judge, audit, tell, warn, onPoint = noPoint }: ReloadOptions<C>): Promise<ReloadEnd> {
    const found = read();
    await onPoint('read');
    const judged = judge(current, found);
    const { config } = judged;
    const prepared = await prepareAll(config);
    const changed = [...judged.changed, ...prepared.flatMap((part) => part.changed ?? [])];
    const restart = [...judged.restart, ...prepared.flatMap((part) => part.restart ?? [])];
    const end = { changed: changed.map(({ key }) => key), restart };
    if (changed.length === 0) {
      await abandonAll(prepared);
      return { outcome: 'unchanged', ...end };
    }
    await onPoint('judged');
    const entry = {
      surface: 'cli',
      who,
      action: 'settings.reload',
      subject: `${role}, generation ${generation + 1}`,
      detail: detailOf(changed, restart),
    } as const;
    try {
      await audit.append({ ...entry, outcome: 'asked' });
    } catch (error) {
      await abandonAll(prepared);
      throw error;
    }
    await onPoint('asked');
    [current, generation] = [config, generation + 1];
    for (const { commit } of prepared) commit();
    await onPoint('swapped');
    tell();
    await onPoint('told');
    // It is done, whatever the log says: its record follows when it can be written.
    await audit
      .append({ ...entry, outcome: 'done' })
      .catch(() => audit.keepForLater({ ...entry, outcome: 'done' }))
      .catch((error: unknown) => warn(messageOf(error)));
    await onPoint('done');
    return { outcome: 'taken', ...end };
  }

  return {
    get current() {
      return current;
    },
    get generation() {
      return generation;
    },
    follow(part, ofFiles) {
      parts.push(part);
      if (ofFiles !== undefined) files.push(ofFiles);
    },
    files: () => Object.fromEntries(files.flatMap((one) => Object.entries(one()))),
    reload(who, options) {
      const ending = before
        .then(() => run(who, options))
        .catch((error: unknown): ReloadEnd => ({ outcome: 'refused', changed: [], restart: [], problem: messageOf(error) }));
      before = ending;
      return ending;
    },
  };
}

async function abandonAll(prepared: readonly Prepared[]): Promise<void> {
  await Promise.allSettled(prepared.map(({ abandon }) => abandon()));
}

function noPoint(): void {}

/** The diff: a line of values for each setting. */
function detailOf(changed: Judged<unknown>['changed'], restart: readonly string[]): Record<string, string> {
  const shown = changed.slice(0, MAX_CHANGES).map(({ key, from, to }) => [key, `${cut(from)} -> ${cut(to)}`] as const);
  const more = changed.length > MAX_CHANGES ? { more: String(changed.length - MAX_CHANGES) } : {};
  return { ...Object.fromEntries(shown), ...more, ...(restart.length === 0 ? {} : { 'needs restart': cut(restart.join(', ')) }) };
}

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
