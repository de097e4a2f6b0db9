import { everyCommand, type Outline } from './outline.ts';

const HEAD = '# Written by `npm run docs` from the table of commands.';
const atOf = ({ words }: Outline): string => words.map((word) => `/${word}`).join('');

/** For bash: `source <(writ completion bash)`. Where nothing fits, names of files are offered. */
export function bashCompletion(program: Outline): string {
  const commands = everyCommand(program);
  return `${HEAD}
_writ() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${pathsOf(commands)}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${commands.map((one) => `    '${atOf(one)}') words='${wordsOf(one, program).join(' ')}' ;;`).join('\n')}
  esac
  # Options only for who has begun one.
  [[ $current == -* ]] || words=\${words%%--*}
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _writ writ
`;
}

/** For zsh: a file \`_writ\` on \`fpath\`, or \`source <(writ completion zsh)\`. */
export function zshCompletion(program: Outline): string {
  const commands = everyCommand(program);
  const entry = (name: string, summary: string): string => `'${name.replaceAll(':', '\\:')}:${quoted(summary)}'`;
  const lines = commands.map(({ children, options, ...one }) => {
    const words = children.map(({ words: path, summary }) => entry(path.at(-1) ?? '', summary));
    const flags = [...options, ...(one.words.length === 0 ? [] : program.options.slice(0, -1))].flatMap(({ names, summary }) =>
      names.map((name) => entry(name, summary)),
    );
    return `    '${atOf({ children, options, ...one })}') commands=(${words.join(' ')}) options=(${flags.join(' ')}) ;;`;
  });
  return `#compdef writ
${HEAD}
_writ() {
  local at='' word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      ${pathsOf(commands)}) at="$at/$word" ;;
    esac
  done
  case "$at" in
${lines.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif ((\${#commands})); then
    _describe command commands
  else
    _files
  fi
}
compdef _writ writ
`;
}

/** For fish: \`writ completion fish | source\`. */
export function fishCompletion(program: Outline): string {
  const commands = everyCommand(program);
  const lines = commands.flatMap((one) => {
    const when = `-n 'test (__writ_at) = "${atOf(one)}"'`;
    const words = one.children.map(({ words: path, summary }) => `complete -c writ ${when} -f -a '${path.at(-1)}' -d '${fishQuoted(summary)}'`);
    const flags = one.options.map(({ names, summary }) => {
      const shorts = names.filter((name) => !name.startsWith('--')).map((name) => ` -s ${name === '-.' ? '.' : name.slice(1)}`);
      const longs = names.filter((name) => name.startsWith('--')).map((name) => ` -l ${name.slice(2)}`);
      return `complete -c writ ${one.words.length === 0 ? '' : `${when} `}-d '${fishQuoted(summary)}'${[...shorts, ...longs].join('')}`;
    });
    return [...words, ...flags];
  });
  return `${HEAD}
function __writ_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at/$word"
      case ${commands
        .slice(1)
        .map((one) => `'${atOf(one)}'`)
        .join(' ')}
        set at "$at/$word"
    end
  end
  echo $at
end
${lines.join('\n')}
`;
}

function pathsOf(commands: readonly Outline[]): string {
  return commands
    .filter(({ words }) => words.length > 0)
    .map(atOf)
    .join(' | ');
}

/** Commands first, then options: a reader who has typed no dash is offered the former. */
function wordsOf({ children, options, words }: Outline, program: Outline): string[] {
  const all = words.length === 0 ? options : [...options, ...program.options];
  const names = all.flatMap(({ names: own }) => own.filter((name) => name.startsWith('--')));
  return [...children.map((child) => child.words.at(-1) ?? ''), ...new Set(names)];
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:');
}

function fishQuoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
