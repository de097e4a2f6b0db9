import { openContentTool } from '../io/tool.ts';
import type { ContentProcessArgument } from './entry.ts';
import { serveContentSearches } from './serve.ts';

/** The process of content searches: the tool, for the role that started it. */
const { settings, landlock } = JSON.parse(process.argv[2] ?? '') as ContentProcessArgument;
const { tool, backend, problem } = await openContentTool(settings, { confined: landlock > 0 });
serveContentSearches(tool, { landlock, ...(backend === undefined ? {} : { backend }), ...(problem === undefined ? {} : { problem }) });
