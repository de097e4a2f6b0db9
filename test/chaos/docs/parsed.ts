import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { parseToml } from '../../../config/toml-file.ts';
import type { Block } from '../../../scripts/docs/blocks.ts';
import { messageOf } from '../../../src/core/errors.ts';

/** What a block in a language must be beside its words; `…` stands for what was left out. */
const LANGUAGES: Readonly<Record<string, (text: string) => void>> = {
  json: (text) => {
    if (!text.includes('…')) JSON.parse(text);
  },
  toml: (text) => void parseToml(text, 'the block'),
  // Thirty starts of Node to check each would be longer than all else here.
  js: (text) => void transformSync(text, { loader: 'js', format: 'esm', logLevel: 'silent' }),
  sh: (text) => checkShell(text.replace(/<[a-z_][\w. -]*>/g, 'it')),
};

/** Why a block is not what its fence says; `undefined` when it is, or says nothing. */
export function unreadable({ language, text }: Block): string | undefined {
  try {
    LANGUAGES[language]?.(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function checkShell(text: string): void {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-block-'));
  try {
    const file = path.join(home, 'block.sh');
    writeFileSync(file, text);
    execFileSync('bash', ['-n', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
