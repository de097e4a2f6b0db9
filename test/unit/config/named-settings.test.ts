import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { sections } from '../../../config/settings.ts';

const known = new Set(sections().flatMap(({ name, settings }) => [name, ...settings.map(({ key }) => key)]));
const named = new RegExp(
  `(?<![\\w.$/@{-])(?:${sections()
    .map(({ name }) => name)
    .filter((name) => /^[a-z_]+$/.test(name))
    .join('|')})(?:\\.[a-z][a-z0-9_]*)+(?![\\w(/-])`,
  'g',
);

/** What looks like a setting in a sentence and is none. */
const OTHERS: ReadonlySet<string> = new Set([
  // Of a tool's binding.
  'http.hosts',
  'http.allow',
  // A tool's id.
  'http.webhook',
  // A column.
  'plan.plan_sha256',
]);

const LITERAL = /(field: )?('(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*")/g;

/** Settings that a line of a source names to people: in a sentence, or as the field at fault. */
function namesIn(line: string): string[] {
  return [...line.matchAll(LITERAL)]
    .filter(([, field, text = '']) => field !== undefined || text.includes(' '))
    .flatMap(([, , text = '']) => [...text.replaceAll(/\$\{[^}]*\}/g, '*').matchAll(named)].map(([name]) => name));
}

/** A key, or what lies below one: `file.base_directories.inbox`. */
function isKnown(name: string): boolean {
  return known.has(name) || OTHERS.has(name) || (name.includes('.') && isKnown(name.slice(0, name.lastIndexOf('.'))) && name.split('.').length > 2);
}

/** Of a tool's binding, which has a file of its own. */
const FIELDS_OF_OTHERS: ReadonlySet<string> = new Set(['mcp.url']);

/** The fields, as far as they are plain words, of the refusals of settings in a source. */
function fieldsIn(source: string): string[] {
  return [...source.matchAll(/new WritError\(\s*'INVALID_CONFIG'[\s\S]*?\);/g)].flatMap(([thrown]) =>
    [...thrown.matchAll(/field: '([^']+)'/g)].map(([, field = '']) => field),
  );
}

describe('messages of the program', () => {
  it('name no setting that does not exist', () => {
    const wrong = ['src', 'queues', 'processors', 'config'].flatMap((top) =>
      readdirSync(path.join(packageRoot(), top), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) =>
          readFileSync(path.join(packageRoot(), top, file), 'utf8')
            .split('\n')
            .flatMap((line) => namesIn(line).filter((name) => !isKnown(name)))
            .map((name) => `${top}/${file}: ${name}`),
        ),
    );
    expect(wrong).toEqual([]);
  });

  it('call what is wrong with the settings by its key, wherever it is found out', () => {
    const wrong = ['src', 'queues', 'processors', 'config'].flatMap((top) =>
      readdirSync(path.join(packageRoot(), top), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => fieldsIn(readFileSync(path.join(packageRoot(), top, file), 'utf8')).map((field) => ({ file: `${top}/${file}`, field })))
        .filter(({ field }) => !isKnown(field) && !field.startsWith('--') && !FIELDS_OF_OTHERS.has(field)),
    );
    expect(wrong).toEqual([]);
    expect(fieldsIn("throw new WritError('INVALID_CONFIG', 'it is none', {\n  field: 'allowedFilesystems',\n});")).toEqual(['allowedFilesystems']);
  });

  it('would be found', () => {
    expect(namesIn("`Give this worker another pool name (worker.pool), ` + 'no worker.pool2'")).toEqual(['worker.pool', 'worker.pool2']);
    expect(namesIn("{ field: 'worker.pool' }")).toEqual(['worker.pool']);
    expect(['worker.pool', 'pool.id', 'file.base_directories.inbox'].map(isKnown)).toEqual([false, true, true]);
  });
});
