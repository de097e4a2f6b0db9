import type { LogFile } from './log-sink.ts';

/** A log file that can be put aside, so that the same descriptor leads to a new one. */
export interface RollingFile {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly bornAt: number;
  /** Throws when it cannot be done; then nothing has changed. */
  roll(): void;
  /** Has the descriptor lead to the file that has the name now, where ours was removed or moved away; throws as `roll`. */
  follow(): Pick<RollingFile, 'bytes' | 'bornAt'> | undefined;
}

/** When a log is put aside; 0: never for that. */
export interface RotationSettings {
  readonly rotate_mb: number;
  readonly rotate_s: number;
}

const MIB = 1024 * 1024;
/** After it could not be done: a full disk is not asked before every write. */
const RETRY_MS = 60_000;
/** Between two looks whether the file is still where it was. */
const LOOK_MS = 1000;

/**
 * A log that is put aside between two writes when it is too long or too old. What cannot be put aside grows on, and is
 * tried again after a minute: rotation costs neither lines nor the role. A file that somebody removes or moves away is let go, and
 * another one is begun.
 *
 * @param now milliseconds since 1970
 * @param onTried told of each try: why it could not be put aside, or undefined when it was; must not throw
 */
export function rotating(
  file: LogFile,
  rolling: RollingFile,
  { rotate_mb, rotate_s }: RotationSettings,
  now: () => number,
  onTried: (error: unknown) => void = () => undefined,
): LogFile {
  let { bytes, bornAt } = rolling;
  let notBefore = 0;
  let lookAt = Number.NEGATIVE_INFINITY;

  function followIfGone(): void {
    if (now() < lookAt) return;
    lookAt = now() + LOOK_MS;
    try {
      ({ bytes, bornAt } = rolling.follow() ?? { bytes, bornAt });
    } catch {
      // It is written where it was, and looked for again.
    }
  }

  function rollIfDue(): void {
    const isLong = rotate_mb > 0 && bytes >= rotate_mb * MIB;
    const isOld = rotate_s > 0 && bytes > 0 && now() - bornAt >= rotate_s * 1000;
    if (!(isLong || isOld) || now() < notBefore) return;
    try {
      rolling.roll();
      [bytes, bornAt] = [0, now()];
      onTried(undefined);
    } catch (error) {
      notBefore = now() + RETRY_MS;
      onTried(error);
    }
  }

  return {
    write(text, done) {
      followIfGone();
      rollIfDue();
      file.write(text, (error, written) => {
        bytes += written;
        done(error, written);
      });
    },
    // The last words of a process go where its other words are.
    writeSync: (text) => file.writeSync(text),
  };
}
