import type { EventRow } from './metric-row.ts';

/** The part of the telemetry contract (`log-lines.ts`) that is about settings which are read again. */
export const SETTINGS_LINES = {
  reload: {
    level: 'info',
    message: 'SIGHUP: settings and the certificate of the API are read again; keys and revocations follow their files by themselves',
    fields: [],
    roles: ['api', 'worker', 'kernel', 'index'],
    help: 'The role was told to read again what it can, and goes on; the next lines say what came of it.',
  },
  settingsReloaded: {
    level: 'info',
    message: 'settings were read again',
    fields: ['changed', 'restart', 'generation'],
    roles: ['api', 'worker', 'kernel', 'index'],
    help: '`changed` was taken up, `restart` differs too and needs a restart; both may be empty. The audit log has the values.',
  },
  settingsRefused: {
    level: 'error',
    message: 'the settings were read again and nothing was taken up',
    fields: ['problem'],
    roles: ['api', 'worker', 'kernel', 'index'],
    help: 'The role goes on with the settings that it had. `problem` names every fault with its place.',
  },
  settingsUnrecorded: {
    level: 'error',
    message: 'settings were taken up, and the end of it is in no record',
    fields: ['problem'],
    roles: ['api', 'worker', 'kernel', 'index'],
    help: 'The audit log says that it was asked for; `problem` why it says no more.',
  },
  settingsGone: {
    level: 'warn',
    message: 'the file of the settings is gone or empty; the role keeps what it has',
    fields: ['file'],
    roles: ['api', 'worker', 'kernel', 'index'],
    help: 'Of `reload.watch`, once until the file is back. `writ reload` takes the defaults up.',
  },
  rotationFailed: {
    level: 'warn',
    message: 'a log cannot be put aside, and grows on',
    fields: ['file', 'err'],
    roles: ['api', 'worker', 'kernel', 'index'],
    help: '`file`: `log`, the one of this role, which is tried again after a minute; or `audit`, which is tried again with the next action and told once until it is done. Often a full disk; `writ doctor` says how large they are.',
  },
  settingsUnwatched: {
    level: 'warn',
    message: 'events of the files of settings cannot be had; they are looked at every few seconds',
    fields: ['err'],
    roles: ['api', 'worker', 'kernel', 'index'],
    help: 'Of `reload.watch`: the system is out of watches, or the file system has none. A change is taken up some seconds later.',
  },
} as const satisfies Record<string, EventRow>;
