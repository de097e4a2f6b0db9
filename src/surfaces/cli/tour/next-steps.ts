import { shellWord } from '../../../core/shell-word.ts';

/** What of an installation the printed commands need to know. */
export interface Installed {
  /** How the program is called: `writ`, with what names the settings. */
  readonly program: string;
  /** A base directory to begin in, and its search scope; `undefined`: the settings name none. */
  readonly playground: { readonly base: string; readonly scope: string | undefined } | undefined;
  /** Directory of the command; `undefined`: nobody knows, it is installed in another way. */
  readonly commands: string | undefined;
  /** File of the operator's key. */
  readonly operatorKey: string;
  readonly configFile: string;
  /** Of the API. */
  readonly url: string;
}

/** What `writ up` prints when everything runs: commands that work as they stand. */
export function nextSteps({ program, playground, commands, operatorKey, configFile, url }: Installed): string {
  return [
    '',
    'Writ is up:',
    `  ${url}/docs      the API, for people`,
    `  ${url}/board     queues and failed jobs; \`${program} login-link\` prints a link that logs a browser in`,
    `  ${url}/console   tasks and plans, one by one`,
    `  ${url}/metrics   figures for Prometheus`,
    `  The operator's key lies in ${operatorKey}`,
    '',
    ...(playground === undefined ? nothingAllowed(configFile) : []),
    'In another terminal:',
    ...(commands === undefined ? [] : [`  export PATH=${shellWord(commands)}:"$PATH"     finds \`writ\`, which lies there`]),
    ...(playground === undefined ? [] : firstTask(program, playground)),
    `  ${program} status                           queues, ages, workers`,
    `  ${program} doctor                           settings and what this host can do`,
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}

function firstTask(program: string, { base, scope }: NonNullable<Installed['playground']>): string[] {
  const inputs = { source_path: `${base}/hello.txt`, destination_path: `${base}/copy.txt` };
  const task = { task_id: 'first', capability_id: 'FILE_COPY', inputs, constraints: {} };
  return [
    `  echo ${shellWord(JSON.stringify(task))} > task.json`,
    `  echo hello > ${shellWord(`${base}/hello.txt`)}`,
    `  ${program} push task.json --sign --wait     sign it, push it, see the answer`,
    ...(scope === undefined ? [] : [`  ${program} find ${scope} hello             a search: names of files, in a signed answer`]),
    `  ${program} search hello ${shellWord(base)}     a search: what files say, with your own rights`,
  ];
}

function nothingAllowed(configFile: string): string[] {
  return [
    'File tasks are refused: no base directory is named. In',
    `  ${configFile}`,
    'put a directory of yours in the place of the line # [file.base_directories], then start again:',
    '  [file.base_directories]',
    '  inbox = "/srv/inbox"',
    '',
  ];
}
