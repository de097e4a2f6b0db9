import { tomlValue } from './describe.ts';
import { type Section, type Setting, sections } from './settings.ts';
import { environmentName } from './words.ts';

const HEAD = `# Every setting of Writ with its default. This file documents; it is written by \`npm run config:write\` and never edited.
# Put your own values into <data directory>/writ.toml (\`writ init\` makes one), into a file named with --config,
# or into environment variables WRIT_SECTION__KEY. Later ones win: this file, your file, the environment, flags.
`;

const OWN_HEAD = `# Settings of this Writ. Every line that is a comment shows a default; remove the "#" to change it.
# The environment (WRIT_SECTION__KEY) and flags win over this file.
`;

/** The text of config/writ.toml: every setting with its default and one sentence. */
export function renderShippedToml(): string {
  return renderToml(HEAD, (setting) => assignment(setting));
}

/** What \`writ init\` writes: the same, with every value commented out. */
export function renderOwnToml(): string {
  return renderToml(OWN_HEAD, (setting) => `# ${assignment(setting).replaceAll('\n', '\n# ')}`);
}

/** The text of docs/generated/configuration.md. */
export function renderMarkdown(): string {
  const parts = sections().map((section) => `## [${section.name}]\n\n${section.description}\n\n${table(section)}`);
  return `${MARKDOWN_HEAD}\n${parts.join('\n\n')}\n`;
}

const MARKDOWN_HEAD = `# Configuration

Written by \`npm run config:write\` from \`config/schema.ts\`; \`npm run check\` refuses a difference.

Later ones win: defaults, \`config/writ.toml\` (shipped, never edited), \`<data directory>/writ.toml\` or the file named with \`--config\`, environment variables \`WRIT_SECTION__KEY\`, flags. An unknown key, a wrong type or a value out of range is refused with the key's name and its place. \`writ doctor\` shows where each value came from.

The data directory is \`WRIT_DATA_DIR\`; without it \`.writ\` in a checkout, else \`$XDG_STATE_HOME/writ\` (\`~/.local/state/writ\`).

A list in the environment is separated by commas. An entry of a table is a variable of its own: \`WRIT_FILE__BASE_DIRECTORIES__INBOX=/srv/inbox\` is the same as

\`\`\`toml
[file.base_directories]
inbox = "/srv/inbox"
\`\`\`
`;

function renderToml(head: string, write: (setting: Setting) => string): string {
  const parts = sections().map(({ name, description, settings }) => {
    // A table is a TOML section of its own and has to follow the single values.
    const ordered = [...settings.filter(({ kind }) => kind !== 'table'), ...settings.filter(({ kind }) => kind === 'table')];
    const body = ordered.map((setting) => `${comment(setting)}\n${write(setting)}`);
    return `# ${description}\n[${name}]\n\n${body.join('\n\n')}`;
  });
  return `${head}\n${parts.join('\n\n\n')}\n`;
}

function comment({ description, range }: Setting): string {
  return `# ${description}${range === '' ? '' : ` (${range})`}`;
}

function assignment({ key, kind, default: value, example }: Setting): string {
  return kind === 'table' ? `[${key}]\n# ${example.replaceAll('\n', '\n# ')}` : `${key.slice(key.lastIndexOf('.') + 1)} = ${tomlValue(value)}`;
}

function table({ settings }: Section): string {
  const rows = settings.map((setting) => {
    const cells = [
      `\`${setting.key}\``,
      `\`${tomlValue(setting.default)}\``,
      setting.kind,
      setting.range,
      setting.description,
      `\`${environmentName(setting.key)}\``,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| key | default | kind | range | what it does | environment |', '|---|---|---|---|---|---|', ...rows].join('\n');
}
