import { everyCommand, type Outline, type OutlineOption } from './outline.ts';

/** `writ(1)`, for man: every command with its options. */
export function manPage(program: Outline): string {
  const [, ...commands] = everyCommand(program);
  return [
    '.\\" Written by `npm run docs` from the table of commands.',
    '.TH WRIT 1 "" Writ "User Commands"',
    '.SH NAME',
    `writ \\- ${text(program.summary.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B writ',
    '.RI [ options ] \\ command \\ [ words ]',
    '.SH OPTIONS',
    'Every command takes these.',
    ...program.options.flatMap(optionLines),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    '0 success, 1 the task failed or was refused, 2 usage, 3 something is not available;',
    '.B writ search',
    'has those of grep.',
    '.SH FILES',
    '.I .writ',
    'in a checkout, else',
    '.IR ~/.local/state/writ :',
    'the data directory, with',
    '.I writ.toml',
    'for settings.',
    '',
  ].join('\n');
}

function commandLines({ words, usage, summary, options }: Outline): string[] {
  return [`.SS "writ ${text(words.join(' '))} ${text(usage).replaceAll('"', '""')}"`, text(summary), ...options.flatMap(optionLines)];
}

function optionLines({ flags, summary }: OutlineOption): string[] {
  return ['.TP', `.B ${text(flags)}`, text(summary)];
}

/** A line of text as roff takes it: no escape, no request at its beginning, hyphens that can be copied. */
function text(line: string): string {
  const plain = line.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('\n', ' ');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
