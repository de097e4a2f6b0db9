/** What ends a command on its line; what follows is another one, or a file. */
const END = /^(?:;|&&|\|\|?|&|[0-9]?>{1,2}|<{1,3}|\()$/;

/** The commands of one line of a shell, each as its words; quotes are taken off, nothing is expanded, comments are dropped. */
export function shellCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of line.matchAll(
    /(?:^|(?<=\s))#.*$|"(?:\\.|[^"\\])*"|'[^']*'|\$\([^)]*\)|\|\|?|&&?|[;()]|\d?>{1,2}|<{1,3}(?=[\s"'A-Z])|(?:<[^<>\s]+(?: [^<>]+)?>|[^\s;|&()"'])+/g,
  )) {
    if (token.startsWith('#')) break;
    if (END.test(token) || token === ')') commands.push([]);
    else commands.at(-1)?.push(token.replace(/^(["'])(.*)\1$/s, '$2'));
  }
  return commands.filter((words) => words.length > 0);
}
