import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageRoot } from '../../../config/package.ts';
import { askProgram } from '../../../src/adapters/processes/program.ts';

/** Something that somebody wrote and would look for again. */
export interface Item {
  readonly subject: string;
  readonly body: string;
}

/**
 * Public texts that are on this machine anyway, as mailboxes: nothing of them is kept in the tree. A mailbox whose source is
 * missing is empty.
 */
export const MAILBOXES: Readonly<Record<string, () => Promise<readonly Item[]>>> = {
  commits: async () => distinct(await commits()),
  changelogs: async () => distinct(debianChangelogs()),
  packages: async () => distinct(markdownSections()),
  translations: async () => distinct([...diagnostics(), ...thaiTexts()]),
};

const MODULES = path.join(packageRoot(), 'node_modules');
/** Entries of one changelog, sections of one package: no large one drowns the others. */
const MOST_OF_ONE = 40;
const MOST_CHANGELOGS = 200;
const DOCS = '/usr/share/doc';

/** Each commit of this checkout, with the files that it changes. */
async function commits(): Promise<Item[]> {
  const format = '--format=%x1e%s%x1f%an%x1f%b%x1f';
  const { stdout } = await askProgram('git', ['log', format, '--name-only'], { cwd: packageRoot(), maxBuffer: 256_000_000 });
  return String(stdout)
    .split('\x1e')
    .slice(1)
    .map((record) => {
      const [subject = '', author = '', text = '', files = ''] = record.split('\x1f');
      return { subject, body: `${author}\n\n${text.trim()}\n\n${files.trim()}` };
    });
}

/** Each entry of the changelogs of Debian's packages: `name (version) suite; urgency`, what changed, who and when. */
function debianChangelogs(): Item[] {
  if (!existsSync(DOCS)) return [];
  const files = readdirSync(DOCS)
    .toSorted()
    .map((name) => path.join(DOCS, name, 'changelog.Debian.gz'))
    .filter((file) => existsSync(file));
  return files.slice(0, MOST_CHANGELOGS).flatMap((file) =>
    gunzipSync(readFileSync(file))
      .toString('utf8')
      .split(/^(?=\S+ \([^)]+\) )/mu)
      .slice(0, MOST_OF_ONE)
      .map((entry) => itemOf(entry)),
  );
}

/** Each section below a heading of what comes with the packages of npm. */
function markdownSections(): Item[] {
  const files = readdirSync(MODULES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  return files.flatMap((file) =>
    readFileSync(path.join(MODULES, file), 'utf8')
      .split(/^(?=#{1,3} )/mu)
      .filter((section) => section.startsWith('#'))
      .slice(0, MOST_OF_ONE)
      .map((section) => itemOf(section.replace(/^#+ /u, ''))),
  );
}

/** What a compiler says, in languages with and without blanks, with and without accents. */
function diagnostics(): Item[] {
  return ['zh-cn', 'ja', 'ko', 'fr', 'cs'].flatMap((language) => {
    const file = path.join(MODULES, 'typescript/lib', language, 'diagnosticMessages.generated.json');
    const texts = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
    return texts.filter((_, index) => index % 4 === 0).map(([key, body]) => ({ subject: `TS${/\d+$/u.exec(key)?.[0]} (${language})`, body }));
  });
}

/** Names of languages, countries and currencies, and messages of a library, in Thai. */
function thaiTexts(): Item[] {
  const source = readFileSync(createRequire(import.meta.url).resolve('zod/v4/locales/th.cjs'), 'utf8');
  const messages = [...source.matchAll(/["`]([^"`\n]*[\u0e00-\u0e7f][^"`\n]*)["`]/gu)].map(([, text = ''], index) => ({
    subject: `zod ${index} (th)`,
    body: text,
  }));
  const regions = new Intl.DisplayNames('th', { type: 'region' });
  const languages = new Intl.DisplayNames('th', { type: 'language' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const named = codes.flatMap((code) => {
    const [region, language] = [regions.of(code.toUpperCase()) ?? '', languages.of(code) ?? ''];
    if (!/[\u0e00-\u0e7f]/u.test(region + language)) return [];
    return [{ subject: `CLDR ${code}`, body: `ประเทศ${region}และภาษา${language}` }];
  });
  return [...messages, ...named];
}

function itemOf(text: string): Item {
  const [subject = '', ...rest] = text.split('\n');
  return { subject: subject.trim(), body: rest.join('\n').trim() };
}

/** A text that is there twice could not be asked for. */
function distinct(items: readonly Item[]): readonly Item[] {
  const first = new Map<string, Item>();
  for (const item of items) {
    const key = item.body.replace(/\s+/gu, ' ').trim();
    if (key.length > 20 && !first.has(key)) first.set(key, item);
  }
  return [...first.values()];
}
