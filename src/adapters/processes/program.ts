import { execa, execaSync } from 'execa';

/**
 * How this house starts programs that are not on a hot path: no shell, an end that is a value and never an exception, no
 * timer that kills behind our back, and nothing that is killed because we end (whoever starts a program ends it).
 *
 * `startProgram` leaves the output to its caller; `askProgram` keeps it, for short answers.
 */
const HOUSE = { shell: false, reject: false, cleanup: false, forceKillAfterDelay: false } as const;

export const startProgram = execa({ ...HOUSE, buffer: false });

export const askProgram = execa({ ...HOUSE, stdin: 'ignore', killSignal: 'SIGKILL' });

/** `askProgram` for tools of the house that cannot wait; throws when the program fails. */
export const askProgramSync = execaSync({ shell: false, stdin: 'ignore' });
