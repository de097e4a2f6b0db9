import type { ContentSettings } from '../io/settings.ts';

/** What the process of content searches is told, as the one argument of its command line. */
export interface ContentProcessArgument {
  readonly settings: ContentSettings;
  /** Version of Landlock that confines it; 0: nothing does. */
  readonly landlock: number;
}

/** The module that is started: on Linux the one that first gives rights away and then becomes the other. */
export function contentProcessEntry(platform: NodeJS.Platform = process.platform): URL {
  return platform === 'linux' ? moduleOf('launch') : searchModule();
}

export function searchModule(): URL {
  return moduleOf('content-process');
}

export function contentProcessArgument(argument: ContentProcessArgument): string {
  return JSON.stringify(argument);
}

/** From `dist` or from the sources. */
function moduleOf(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}
