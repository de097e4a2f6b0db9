import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command, Option } from 'commander';
import { packageRoot } from '../../config/package.ts';
import { sections } from '../../config/settings.ts';
import { METRICS } from '../../src/observability/events.ts';
import { LOG_LINES } from '../../src/observability/log-lines.ts';
import type { EventRow, MetricRow } from '../../src/observability/metric-row.ts';
import { ATTRIBUTES } from '../../src/observability/spans.ts';
import { WritClient } from '../../src/surfaces/client/index.ts';
import { NOTICE_TYPES } from '../../src/webhooks/notice/notice.ts';
import { describedCommands } from '../command-tree.ts';

/** What pages may call by name, read from the tables of the product. */
export interface NamedThings {
  readonly program: Command;
  /** Settings and their sections, `ledger.retention_s`, `ledger`. */
  readonly settings: ReadonlySet<string>;
  /** Metrics, and the series of histograms. */
  readonly metrics: ReadonlySet<string>;
  /** What looks like a setting and is none: attributes of spans, log lines, notices, actions of the audit log, ids of tools and capabilities. */
  readonly others: ReadonlySet<string>;
  /** The client of the API: its methods are found by walking it. */
  readonly client: object;
}

/** Reads all names once. */
export async function namedThings(root = packageRoot()): Promise<NamedThings> {
  return {
    program: await describedCommands(),
    settings: new Set(sections().flatMap(({ name, settings }) => [name, ...settings.map(({ key }) => key)])),
    metrics: new Set(Object.entries<MetricRow>(METRICS).flatMap(([name, { type }]) => (type === 'histogram' ? SERIES.map((end) => name + end) : [name]))),
    others: new Set([
      ...Object.keys(ATTRIBUTES),
      ...NOTICE_TYPES,
      ...Object.values<EventRow>(LOG_LINES).map(({ message }) => message),
      ...spansOf(root, 'docs/audit.md', /^Recorded are: .*/m),
      ...spansOf(root, 'docs/audit.md', /^.* are written by the log itself.*/m),
      ...idsOf(root),
    ]),
    client: new WritClient({ baseUrl: 'http://127.0.0.1', key: '' }),
  };
}

const SERIES = ['', '_bucket', '_sum', '_count'] as const;

/** The code spans of a paragraph of a page. */
function spansOf(root: string, page: string, paragraph: RegExp): string[] {
  const [text = ''] = paragraph.exec(readFileSync(path.join(root, page), 'utf8')) ?? [];
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
}

/** Tools and capabilities that are shipped. */
function idsOf(root: string): string[] {
  return ['config/tools', 'config/capabilities'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => name.replace(/(?:\.tool)?\.json$/, '')),
  );
}

/** What is wrong with a command line of a page; `undefined` when the program would read it. The program's name is not among the words. */
export function commandProblem(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return undefined;
    if (word.startsWith('-') && word !== '-') {
      const found = optionOf(command, program, word);
      if (found === undefined) return `${nameOf(command)} has no option ${word}`;
      if (found.takesNext) at += 1;
      continue;
    }
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next !== undefined) command = next;
    else if (command.commands.length > 0 && command.registeredArguments.length === 0 && !isOpen(word)) return `${nameOf(command)} has no command ${word}`;
  }
  return undefined;
}

/** `<command>`, `…`: the reader fills it in. */
function isOpen(word: string): boolean {
  return /[<…|[\]]|\.\.\./.test(word);
}

function optionOf(command: Command, program: Command, word: string): { readonly takesNext: boolean } | undefined {
  const name = word.split('=', 1)[0] ?? '';
  if (name === '-h' || name === '--help') return { takesNext: false };
  const known: readonly Option[] = [command, program].flatMap(({ options }) => options);
  const option = known.find(({ long, short }) => long === name || short === name || (short !== undefined && /^-[^-]./.test(name) && name.startsWith(short)));
  if (option === undefined) return undefined;
  return { takesNext: option.required && !word.includes('=') && (option.long === name || option.short === name) };
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

/** Whether `client.<path>` is there: `tasks.submit`. */
export function isClientMember(client: object, path: string): boolean {
  let value: unknown = client;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !(name in value)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return value !== undefined;
}
