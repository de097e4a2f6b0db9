import { renderMarkdown, renderShippedToml } from '../config/render.ts';
import type { GeneratedFile } from './generated.ts';

/** The documents of the settings. */
export function configFiles(): GeneratedFile[] {
  return [
    { path: 'config/writ.toml', content: renderShippedToml() },
    { path: 'docs/generated/configuration.md', content: renderMarkdown() },
  ];
}
