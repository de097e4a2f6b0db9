import type { IndexActivity } from '../../../contracts/index.ts';

/** `build: TOKENIZE, 1200 of 80000 files (1 %), for 12 s`. */
export function activityText({ kind, phase, done, total, started_at }: IndexActivity, nowMs: number): string {
  const share = total === null ? `${done} files` : `${done} of ${total} files (${total === 0 ? 100 : Math.floor((done * 100) / total)} %)`;
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(started_at)) / 1000));
  return `${kind}: ${phase}, ${share}, for ${seconds} s`;
}
