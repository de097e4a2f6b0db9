/** How the parts of a line are painted on a terminal (ECMA-48 SGR), in the colours that programs of this kind use. */
export interface Paint {
  path(text: string): string;
  line(text: string): string;
  match(text: string): string;
}

const painted = (code: string) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
const plain = (text: string): string => text;

export const COLOURED: Paint = { path: painted('35'), line: painted('32'), match: painted('1;31') };
export const PLAIN: Paint = { path: plain, line: plain, match: plain };
