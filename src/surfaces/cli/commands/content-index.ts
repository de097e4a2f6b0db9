import type { Command } from 'commander';
import { INDEX_ACTIONS, type IndexAction, type IndexActivity, type IndexReport, type IndexStatus, type IndexTaskEnd } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { IndexMode, IndexService, IndexTarget } from '../../../core/ports/index.ts';
import { bytes, counted, duration } from '../../../core/units.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { pairs, table } from '../text/table.ts';
import { printable } from '../text/values.ts';

const ACTIONS = {
  build: 'make the index anew; the old one serves until then',
  reconcile: 'compare the index with the tree, and index what differs',
  check: 'prove the files of the index sound, and wait for the verdict',
  drop: 'remove the index; with index_mode = "on" or "auto" a later start makes it again',
} satisfies Record<IndexAction, string>;

export const register: Registrar = (program, deps, exit) => {
  const index = program.command('index').helpCommand(false).description('the index for searches in contents');
  index
    .command('status')
    .description('what each index is, and what is done about it now')
    .action(command<[], Record<never, never>>(deps, exit, runIndexStatus));
  for (const action of INDEX_ACTIONS) {
    withWait(index.command(action).argument('[index]', 'its directory or the first digits of its key; not needed when there is one'), action)
      .description(ACTIONS[action])
      .action(command<[string | undefined], IndexActFlags>(deps, exit, indexAct(action)));
  }
};

/** The verdict is all there is to a check, so it always waits. */
function withWait(command: Command, action: IndexAction): Command {
  return action === 'check' ? command : command.option('--wait', 'wait for the end, and show how far it is');
}

/** `writ index status`: every index, also without a running host. */
async function runIndexStatus(context: CommandContext): Promise<number> {
  const service = await (await context.services()).contentIndex();
  const { activityText } = await import('../../shared/content-index/index-tasks.ts');
  const report: IndexReport = { mode: service.mode, indexes: [...(await service.status())] };
  await context.output.answer(report, () => reportText(report, (activity) => activityText(activity, context.clock.now())));
  return 0;
}

const NONE = {
  off: 'Content search has no index: index_mode is "off". Searches work without one; to have one, write to the settings:\n\n[tools.search]\nindex_mode = "auto"',
  auto: 'There is no index: no directory is named in index_roots, nor in allowed_roots of [tools.sandbox].',
  on: 'There is no index: no directory is named in index_roots, nor in allowed_roots of [tools.sandbox].',
} satisfies Record<IndexMode, string>;

const COLUMNS = [
  { title: 'key' },
  { title: 'state' },
  { title: 'used' },
  { title: 'files', align: 'right' },
  { title: 'size', align: 'right' },
  { title: 'changes', align: 'right' },
  { title: 'directory' },
] as const;

function reportText({ mode, indexes }: IndexReport, activityText: (activity: IndexActivity) => string): string {
  if (indexes.length === 0) return NONE[mode];
  const rows = indexes.map((one) => [
    one.key_hash?.slice(0, 8) ?? '-',
    one.reason === null ? one.state : `${one.state} (${one.reason})`,
    one.serving ? 'yes' : 'no',
    one.files === null ? '-' : String(one.files),
    bytes(one.bytes),
    String(one.overlay.files + one.overlay.subtrees),
    one.root,
  ]);
  const notes = indexes.flatMap((one) => {
    const lines = notesOf(one, activityText);
    return lines.length === 0 ? [] : ['', one.root, pairs(lines)];
  });
  return [table(COLUMNS, rows), ...notes].join('\n');
}

/** What is worth a line: what is done now, why it is not used, how the last tasks ended. */
function notesOf(one: IndexStatus, activityText: (activity: IndexActivity) => string): [string, string][] {
  const { activity, last_build: built } = one;
  return [
    ...(activity === null ? [] : [['now', activityText(activity)] satisfies [string, string]]),
    ...(one.host === 'stopped' ? [['host', 'does not run: `writ up` starts it'] satisfies [string, string]] : []),
    ...(one.veto === null || one.veto === 'NOT_COMPLETE' ? [] : [['veto', one.veto] satisfies [string, string]]),
    ...(one.storage_fallback_reason === null ? [] : [['in memory', one.storage_fallback_reason] satisfies [string, string]]),
    ...(built === null
      ? []
      : [['last build', `${counted(built.files, 'file')}, ${bytes(built.bytes)} read in ${duration(built.elapsed_ms)}`] satisfies [string, string]]),
    ...one.ended.filter(({ ok }) => !ok).map(({ kind, detail }): [string, string] => [`last ${kind}`, `failed: ${detail}`]),
  ];
}

interface IndexActFlags {
  readonly wait?: boolean;
}

/** `writ index build|reconcile|check|drop`. Exit 0: queued, or well ended; 1: it failed, or a check found a fault. */
function indexAct(action: IndexAction) {
  return async (context: CommandContext, flags: IndexActFlags, word: string | undefined): Promise<number> => {
    const { askIndex } = await import('../../shared/content-index/index-tasks.ts');
    const services = await context.services();
    const index = await services.contentIndex();
    const target = await targetOf(word, index, context);
    const askedAt = context.clock.now();
    const receipt = await askIndex(index, target, action, { surface: 'cli', who: services.who }, await services.audit());
    if (action !== 'check' && flags.wait !== true) {
      await context.output.answer({ action, ...receipt }, () => `${action} ${receipt.joined ? 'waits already' : 'is queued'} (job ${receipt.job})`);
      return 0;
    }
    const end = await waitForIndex(context, index, { job: receipt.job, action, target, askedAt });
    await context.output.answer({ action, ...receipt, end }, () => `${action} ${end.ok ? 'done' : 'failed'} in ${duration(end.elapsed_ms)}: ${end.detail}`);
    return end.ok ? 0 : 1;
  };
}

/** A key's first digits are no path unless they are written as one (`./deadbeef`). */
async function targetOf(word: string | undefined, index: IndexService, { io }: CommandContext): Promise<IndexTarget> {
  if (word !== undefined) {
    if (/^[0-9a-f]{8,64}$/.test(word)) return { keyHash: word };
    return { root: io.realPath(word.startsWith('/') ? word : `${io.cwd()}/${word}`) };
  }
  const all = await index.status();
  const [only] = all;
  // Without one it is for the service to say why.
  if (only === undefined) return { root: io.cwd() };
  if (all.length > 1)
    throw new WritError('INVALID_ARGUMENT', `there are ${all.length} indexes: name a directory, or the key that \`writ index status\` shows`, {
      field: 'index',
    });
  return { root: only.root };
}

interface Awaited {
  readonly action: IndexAction;
  readonly job: string;
  readonly target: IndexTarget;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

const LOOK_MS = 250;
/** A host may be restarted meanwhile; its tasks then come again. */
const PATIENCE_MS = 30_000;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Looks until a task has ended, and shows how far it is.
 *
 * @throws WritError INDEX_UNAVAILABLE when no host runs any more; TIMEOUT when the person stops waiting: the task goes on
 */
async function waitForIndex(context: CommandContext, index: IndexService, awaited: Awaited): Promise<IndexTaskEnd> {
  const { activityText } = await import('../../shared/content-index/index-tasks.ts');
  const { setTimeout: pause } = await import('node:timers/promises');
  const signal = context.interrupted();
  const show = createLine(context, (activity) => activityText(activity, context.clock.now()));
  let hostSeen = context.clock.monotonic();
  try {
    for (;;) {
      const all = await index.status();
      const end = endOf(all, awaited);
      if (end !== undefined) return end;
      if (all.some(({ host }) => host === 'running')) hostSeen = context.clock.monotonic();
      else if (context.clock.monotonic() - hostSeen > PATIENCE_MS)
        throw new WritError('INDEX_UNAVAILABLE', 'no index host runs any more; the task waits for the next one');
      show.seen(all);
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw new WritError('TIMEOUT', `you stopped waiting; ${awaited.action} goes on (\`writ index status\` shows it)`);
    }
  } finally {
    show.stop();
  }
}

/** Its own end, or that of a later task of its kind: the last one of each is kept, and equal tasks end in their order. */
function endOf(all: readonly IndexStatus[], { action, job, askedAt, target }: Awaited): IndexTaskEnd | undefined {
  const own = all.filter((one) => ('root' in target ? one.root === target.root : one.key_hash?.startsWith(target.keyHash) === true));
  const ends = own.flatMap(({ ended }) => ended).filter(({ kind }) => kind === action);
  return ends.find((end) => end.job === job) ?? ends.find((end) => end.job !== null && Date.parse(end.ended_at) - end.elapsed_ms > askedAt);
}

/** One line that changes on a terminal; a line for each phase elsewhere; nothing with --json. */
function createLine(context: CommandContext, activityText: (activity: IndexActivity) => string) {
  const { stderr } = context.io;
  const live = stderr.isTTY === true && !context.output.json;
  let last = '';
  return {
    seen(all: readonly IndexStatus[]): void {
      const busy = all.flatMap(({ activity }) => activity ?? []);
      const phase = busy.map(({ kind, phase }) => `${kind} ${phase}`).join();
      const text = busy.map(activityText).join('; ');
      if (live) stderr.write(`${CLEAR_LINE}${printable(text)}`);
      else if (phase !== last && phase !== '' && !context.output.json) context.output.note(text);
      last = phase;
    },
    stop(): void {
      if (live) stderr.write(CLEAR_LINE);
    },
  };
}
