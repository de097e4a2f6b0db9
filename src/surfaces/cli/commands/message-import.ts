import { Option } from 'commander';
import { IMPORT_FORMATS } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { ImportFormat, ImportSource } from '../../../core/ports/index.ts';
import { bytes, counted, duration } from '../../../core/units.ts';
import type { ImportSummary } from '../../shared/messages/import.ts';
import { auditedCommand, type CommandContext, command, type Registrar } from '../command.ts';
import type { CliIo } from '../services.ts';

const HELP = `
The format is found out by looking. A run that was broken off goes on where it was; what is there already is left as it is.
Mail of agents is followed: a run takes over what was changed, read, acknowledged and deleted there since the run before.
Records that cannot be read are told and left out; the exit code is 1 then.`;

export const addMessageImport: Registrar = (messages, deps, exit) => {
  messages
    .command('import')
    .argument('<path>', 'JSON Lines, a Maildir, an mbox, or the database or the archive of an agent-mail server')
    .addOption(new Option('--format <format>', 'what it is, unless it shall be found out').choices(IMPORT_FORMATS))
    .option('--project <slug>', 'project for what names none; a mailbox is one project, of the name of its file')
    .option('--from-start', 'read all of it again, also what an earlier run has read')
    .description('import messages: a source of any size, as often as you like')
    .addHelpText('after', HELP)
    .action(command<[string], MessagesImportFlags>(deps, exit, runMessagesImport));
  messages
    .command('rebuild')
    .description('make the full text of all messages anew, and wait for it')
    .action(command<[], Record<never, never>>(deps, exit, runMessagesRebuild));
};

interface MessagesImportFlags {
  readonly format?: ImportFormat;
  readonly project?: string;
  readonly fromStart?: boolean;
}

/** So many bad records are told one by one to a person; a program gets all of them with --json. */
const TOLD = 50;
/** Of a path in the audit log. */
const MAX_SUBJECT = 1024;

/** `writ messages import`: 0 all of it, 1 some records were left out or refused, or it was broken off. */
async function runMessagesImport(context: CommandContext, flags: MessagesImportFlags, path: string): Promise<number> {
  const { importMessages, importStart } = await import('../../shared/messages/import.ts');
  const { gateway, imports } = await (await context.services()).messageIngest();
  await using source = await imports.open(path, { format: flags.format, project: flags.project });
  const start = await importStart(source, flags.fromStart === true ? undefined : await imports.mark(source.name), context.clock.now());
  if (start.mark !== undefined && !context.output.json)
    context.output.note(
      `goes on behind ${start.mark.items} records of an earlier run${start.mark.bad > 0 ? `, which left out ${start.mark.bad}` : ''} (--from-start reads all of it again)`,
    );
  const progress = await createBar(context.io, source);
  const started = context.clock.monotonic();
  let told = 0;
  const report = {
    progress: progress.update,
    async bad(where: string, why: string): Promise<void> {
      await context.output.line({ where, bad: why });
      told += 1;
      if (context.output.json || told > TOLD) return;
      progress.aside();
      context.output.note(told === TOLD ? `${where}: ${why}\n(more of these are only counted; --json tells all)` : `${where}: ${why}`);
    },
  };
  try {
    const entry = { action: 'message.import', subject: path.slice(0, MAX_SUBJECT), detail: { format: source.format } };
    const work = () => importMessages(source, gateway, start, report, context.interrupted());
    const summary = await auditedCommand(context, entry, work, ({ counts, bad, finished }) => ({ ...counts, bad, finished }));
    progress.stop();
    const ms = Math.round(context.clock.monotonic() - started);
    await context.output.answer({ summary: { format: source.format, ...summary, ms } }, () => summaryText(summary, ms));
    for (const why of context.output.json ? [] : summary.refusals) context.output.note(`refused: ${why}`);
    if (summary.kept !== undefined && !context.output.json) context.output.note(summary.kept);
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
  return `${counted(items, 'record')} in ${duration(ms)}; of messages, people and projects: ${[...what, ...wrong].join(', ')}${end}`;
}

interface Bar {
  update(read: number, summary: ImportSummary): void;
  aside(): void;
  stop(): void;
}

const SILENT: Bar = { update: () => undefined, aside: () => undefined, stop: () => undefined };

/** A bar on a terminal, nothing elsewhere. */
async function createBar({ stderr }: CliIo, { unit, total }: ImportSource): Promise<Bar> {
  if (stderr.isTTY !== true) return SILENT;
  const { Presets, SingleBar } = await import('cli-progress');
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

/** `writ messages rebuild`: the writer makes the full text anew; searches see the old one until then. */
async function runMessagesRebuild(context: CommandContext): Promise<number> {
  const { gateway } = await (await context.services()).messageIngest();
  const started = context.clock.monotonic();
  const job = await auditedCommand(context, { action: 'message.rebuild', subject: 'full text' }, async () => {
    const { job } = await gateway.submit([{ op: 'rebuild' }]);
    const end = await gateway.settled(job, context.interrupted());
    if (end === undefined) throw new WritError('WRONG_STATE', `not waited for: job ${job} goes on in the writer`);
    if (!end.ok) throw new WritError('STORAGE_UNAVAILABLE', `the rebuild failed: ${end.message}`);
    return job;
  });
  const seconds = ((context.clock.monotonic() - started) / 1000).toFixed(1);
  await context.output.answer({ job, rebuilt: true }, () => `the full text is new, after ${seconds} s`);
  return 0;
}
