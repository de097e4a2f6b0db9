import type { Command, Option } from 'commander';

/** A command of the program with all that completions and manual pages say of it. */
export interface Outline {
  /** Its words below `writ`; none for the program itself. */
  readonly words: readonly string[];
  readonly summary: string;
  /** `[words...]`, as help shows it. */
  readonly usage: string;
  readonly options: readonly OutlineOption[];
  /** Commands one word below. */
  readonly children: readonly Outline[];
}

export interface OutlineOption {
  /** `-g`, `--glob`. */
  readonly names: readonly string[];
  /** `-g, --glob <pattern>`. */
  readonly flags: string;
  readonly summary: string;
}

/** What there is to say of a command and those below it. */
export function outlineOf(command: Command, words: readonly string[] = []): Outline {
  return {
    words,
    summary: command.description(),
    usage: command.usage(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), HELP],
    children: command.commands.map((child) => outlineOf(child, [...words, child.name()])),
  };
}

/** A command and all below it. */
export function everyCommand(outline: Outline): readonly Outline[] {
  return [outline, ...outline.children.flatMap(everyCommand)];
}

const HELP: OutlineOption = { names: ['-h', '--help'], flags: '-h, --help', summary: 'print help' };

function optionOf({ short, long, flags, description }: Option): OutlineOption {
  return { names: [short, long].filter((name) => name !== undefined), flags, summary: description };
}
