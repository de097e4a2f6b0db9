import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/package.ts';
import { ROLES } from '../src/contracts/index.ts';
import { withDocument } from '../src/surfaces/http/openapi/document.ts';
import { PAGES } from '../src/surfaces/http/pages/table.ts';
import type { Access } from '../src/surfaces/http/route.ts';
import { ROUTES } from '../src/surfaces/http/routes/table.ts';
import type { GeneratedFile } from './generated.ts';

const FILE = 'docs/http.md';
const [BEGIN, END] = ['<!-- routes: written by npm run contracts -->', '<!-- end of routes -->'];

/** `docs/http.md` with its table of route x role made from the rows; the rest is written by hand. */
export function httpDocument(root = packageRoot()): GeneratedFile {
  const text = readFileSync(path.join(root, FILE), 'utf8');
  const [before, rest] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before === -1 || rest < before) throw new Error(`${FILE} has lost the marks around its table of routes`);
  return { path: FILE, content: `${text.slice(0, before)}${BEGIN}\n${table()}\n${text.slice(rest)}` };
}

function table(): string {
  const rows = [...withDocument(ROUTES).rows, ...PAGES].map(
    ({ method, path: route, access, summary }) => `| \`${method} ${route}\` | ${summary} | ${cells(access).join(' | ')} |`,
  );
  return [`| route | | no key | ${ROLES.join(' | ')} |`, `|---|---|${[...ROLES, ''].map(() => ':-:|').join('')}`, ...rows].join('\n');
}

function cells(access: Access): readonly string[] {
  if (access === 'open') return ['yes', ...ROLES.map(() => 'yes')];
  return ['', ...ROLES.map((role) => (access === 'any' || access.includes(role) ? 'yes' : ''))];
}
