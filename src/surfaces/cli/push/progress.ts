import { Presets, SingleBar } from 'cli-progress';
import { bytes, duration } from '../../../core/units.ts';
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
 * By bytes where the size is known, so that the rate and the time left are those of the input.
 *
 * @param waits outcomes are waited for, and counted
 */
export function createProgress(io: CliIo, size: number | undefined, waits: boolean): Progress {
  if (io.stderr.isTTY !== true) return SILENT;
  const known = size !== undefined && size > 0;
  const counts = waits ? '{tasks} tasks | {answers} answered' : '{tasks} tasks';
  const format = known ? ` {bar} {percentage}% | {read} | ${counts} | {rate}/s | {left} left` : ` {read} | ${counts} | {rate}/s`;
  // It is drawn anew although nothing has changed: a message may have taken its line.
  const drawn = { clearOnComplete: true, hideCursor: true, fps: 8, etaBuffer: 1, forceRedraw: true };
  const bar = new SingleBar({ format, stream: io.stderr, ...drawn }, Presets.shades_classic);
  const started = performance.now();
  bar.start(known ? size : 0, 0, { read: bytes(0), tasks: 0, answers: 0, rate: 0, left: '?' });
  return {
    update(read, tasks, answers) {
      const seconds = Math.max(0.001, (performance.now() - started) / 1000);
      const left = known && read > 0 ? duration(((size - read) / read) * seconds * 1000) : '?';
      bar.update(read, { read: bytes(read), tasks, answers, rate: Math.round(tasks / seconds), left });
    },
    aside: () => void io.stderr.write(CLEAR_LINE),
    stop: () => bar.stop(),
  };
}
