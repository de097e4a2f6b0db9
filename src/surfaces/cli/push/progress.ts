import { Presets, SingleBar } from 'cli-progress';
import { bytes, counted, duration } from '../../../core/units.ts';
import type { CliIo } from '../services.ts';

/** A bar on a terminal, nothing elsewhere. */
export interface Progress {
  update(bytesRead: number, tasks: number, answers: number): void;
  /** Frees the line of the bar for a message; the next update draws it again. */
  aside(): void;
  stop(): void;
}

const SILENT: Progress = { update: () => {}, aside: () => {}, stop: () => {} };
const CLEAR_LINE = '\r\u001b[2K';

/**
 * While the input is read, the bar is its bytes, where their number is known; when all of it is read and outcomes are waited
 * for, the bar is them. Rate and time left are those of what the bar shows.
 *
 * @param waits outcomes are waited for, and counted
 */
export function createProgress(io: Pick<CliIo, 'stderr'>, size: number | undefined, waits: boolean): Progress {
  if (io.stderr.isTTY !== true) return SILENT;
  const known = size !== undefined && size > 0;
  const format = known ? ' {bar} {percentage}% | {read} | {counts} | {rate}/s | {left} left' : ' {read} | {counts} | {rate}/s';
  // It is drawn anew although nothing has changed: a message may have taken its line.
  const drawn = { clearOnComplete: true, hideCursor: true, fps: 8, etaBuffer: 1, forceRedraw: true };
  const bar = new SingleBar({ format, stream: io.stderr, ...drawn }, Presets.shades_classic);
  const started = performance.now();
  bar.start(known ? size : 0, 0, shown(0, 0, 0));
  return {
    update(read, tasks, answers) {
      const isRead = known && waits && read >= size;
      const [done, total] = isRead ? [answers, tasks] : [read, known ? size : 0];
      const ms = Math.max(1, performance.now() - started);
      const left = known && done > 0 ? duration(((total - done) / done) * ms) : '?';
      bar.setTotal(total);
      bar.update(done, { ...shown(read, tasks, answers), rate: Math.round((isRead ? answers : tasks) / (ms / 1000)), left });
    },
    aside: () => void io.stderr.write(CLEAR_LINE),
    stop: () => bar.stop(),
  };

  function shown(read: number, tasks: number, answers: number): Readonly<Record<string, unknown>> {
    const counts = waits ? `${answers} of ${counted(tasks, 'task')} answered` : counted(tasks, 'task');
    return { read: bytes(read), counts, rate: 0, left: '?' };
  }
}
