import { Presets, SingleBar } from 'cli-progress';
import type { ImportFormat, ImportSource } from '../../../core/ports/index.ts';
import { type ImportSummary, importMessages } from '../../shared/messages/import.ts';
import type { Call } from '../command.ts';
import type { CliIo } from '../services.ts';
import { bytes, duration } from '../text/values.ts';
import { auditedCall } from './audited-call.ts';

export interface MessagesImportFlags {
  readonly format?: ImportFormat;
  readonly project?: string;
  readonly fromStart?: boolean;
}

/** So many bad records are told one by one to a person; a program gets all of them with --json. */
const TOLD = 50;
/** Of a path in the audit log. */
const MAX_SUBJECT = 1024;

/** `writ messages import`: 0 all of it, 1 some records were left out or refused, or it was broken off. */
export async function runMessagesImport(call: Call, flags: MessagesImportFlags, path: string): Promise<number> {
  const { door, imports } = await (await call.services()).messageIngest();
  await using source = await imports.open(path, { format: flags.format, project: flags.project });
  const mark = flags.fromStart === true ? undefined : await imports.mark(source.name);
  if (mark !== undefined && !call.output.json) call.output.note(`goes on behind ${mark.items} records of an earlier run (--from-start reads all of it again)`);
  const progress = createBar(call.io, source);
  const started = call.clock.monotonic();
  let told = 0;
  const report = {
    progress: progress.update,
    async bad(where: string, why: string): Promise<void> {
      await call.output.line({ where, bad: why });
      told += 1;
      if (call.output.json || told > TOLD) return;
      progress.aside();
      call.output.note(told === TOLD ? `${where}: ${why}\n(more of these are only counted; --json tells all)` : `${where}: ${why}`);
    },
  };
  try {
    const entry = { action: 'message.import', subject: path.slice(0, MAX_SUBJECT), detail: { format: source.format } };
    const work = () => importMessages(source, door, mark, report, call.interrupted());
    const summary = await auditedCall(call, entry, work, ({ counts, bad, finished }) => ({ ...counts, bad, finished }));
    progress.stop();
    const ms = Math.round(call.clock.monotonic() - started);
    await call.output.answer({ summary: { format: source.format, ...summary, ms } }, () => summaryText(summary, ms));
    for (const why of call.output.json ? [] : summary.refusals) call.output.note(`refused: ${why}`);
    return summary.finished && summary.bad === 0 && summary.counts.refused === 0 ? 0 : 1;
  } finally {
    progress.stop();
  }
}

function summaryText({ counts, items, bad, finished }: ImportSummary, ms: number): string {
  const { inserted, updated, deleted, unchanged, refused } = counts;
  const what = [`${inserted} new`, `${updated} changed`, `${unchanged} as before`, ...(deleted > 0 ? [`${deleted} deleted`] : [])];
  const wrong = [...(refused > 0 ? [`${refused} refused`] : []), ...(bad > 0 ? [`${bad} left out`] : [])];
  const end = finished ? '' : '; broken off: the same command goes on from here';
  return `${items} records in ${duration(ms)}: ${[...what, ...wrong].join(', ')}${end}`;
}

interface Bar {
  update(read: number, summary: ImportSummary): void;
  aside(): void;
  stop(): void;
}

const SILENT: Bar = { update: () => undefined, aside: () => undefined, stop: () => undefined };

/** A bar on a terminal, nothing elsewhere. */
function createBar({ stderr }: CliIo, { unit, total }: ImportSource): Bar {
  if (stderr.isTTY !== true) return SILENT;
  const amount = (read: number): string => (unit === 'bytes' ? bytes(read) : `${read} read`);
  const format = total === undefined ? ' {amount} | {items} stored | {rate}/s' : ' {bar} {percentage}% | {amount} | {items} stored | {rate}/s';
  const bar = new SingleBar({ format, stream: stderr, clearOnComplete: true, hideCursor: true, fps: 8 }, Presets.shades_classic);
  const started = performance.now();
  bar.start(total ?? 0, 0, { amount: amount(0), items: 0, rate: 0 });
  return {
    update(read, { items }) {
      const seconds = Math.max(0.001, (performance.now() - started) / 1000);
      bar.update(read, { amount: amount(read), items, rate: Math.round(items / seconds) });
    },
    aside: () => void stderr.write('\r\u001b[2K'),
    stop: () => bar.stop(),
  };
}
