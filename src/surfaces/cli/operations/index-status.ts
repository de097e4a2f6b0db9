import type { IndexReport, IndexStatus } from '../../../contracts/index.ts';
import type { IndexMode } from '../../../core/ports/index.ts';
import { activityText } from '../../shared/content-index/words.ts';
import type { Call } from '../command.ts';
import { pairs, table } from '../text/table.ts';
import { bytes, counted, duration } from '../text/values.ts';

/** `writ index status`: every index, also without a running host. */
export async function runIndexStatus(call: Call): Promise<number> {
  const service = await (await call.services()).contentIndex();
  const report: IndexReport = { mode: service.mode, indexes: [...(await service.status())] };
  await call.output.answer(report, () => textOf(report, call.clock.now()));
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

function textOf({ mode, indexes }: IndexReport, nowMs: number): string {
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
    const lines = notesOf(one, nowMs);
    return lines.length === 0 ? [] : ['', one.root, pairs(lines)];
  });
  return [table(COLUMNS, rows), ...notes].join('\n');
}

/** What is worth a line: what is done now, why it is not used, how the last tasks ended. */
function notesOf(one: IndexStatus, nowMs: number): [string, string][] {
  const { activity, last_build: built } = one;
  return [
    ...(activity === null ? [] : [['now', activityText(activity, nowMs)] satisfies [string, string]]),
    ...(one.host === 'stopped' ? [['host', 'does not run: `writ up` starts it'] satisfies [string, string]] : []),
    ...(one.veto === null || one.veto === 'NOT_COMPLETE' ? [] : [['veto', one.veto] satisfies [string, string]]),
    ...(one.storage_fallback_reason === null ? [] : [['in memory', one.storage_fallback_reason] satisfies [string, string]]),
    ...(built === null
      ? []
      : [['last build', `${counted(built.files, 'file')}, ${bytes(built.bytes)} read in ${duration(built.elapsed_ms)}`] satisfies [string, string]]),
    ...one.ended.filter(({ ok }) => !ok).map(({ kind, detail }): [string, string] => [`last ${kind}`, `failed: ${detail}`]),
  ];
}
