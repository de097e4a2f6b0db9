import { Presets, SingleBar } from 'cli-progress';
import type { CliIo } from '../services.ts';

/** A bar on a terminal, nothing elsewhere. */
export interface CountBar {
  update(done: number): void;
  stop(): void;
}

const SILENT: CountBar = { update: () => {}, stop: () => {} };

export function createCountBar({ stderr }: Pick<CliIo, 'stderr'>, total: number): CountBar {
  if (stderr.isTTY !== true) return SILENT;
  const format = ' {bar} {percentage}% | {value} of {total} | {eta_formatted} left';
  const bar = new SingleBar({ format, stream: stderr, clearOnComplete: true, hideCursor: true, fps: 8 }, Presets.shades_classic);
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}
